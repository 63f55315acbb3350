// SPDX-License-Identifier: Apache-2.0
// Converts the history of a watched training to and from JSON, for run.json and the page. Points
// are stored by columns, since there are hundreds. Any thread.
#pragma once
#include <string>

#include "core/history.h"
#include "core/json_node.h"

namespace feedrate {

/// One line, without a line end.
[[nodiscard]] std::string history_to_json(const RunHistory& history);

/// Throws FormatError.
[[nodiscard]] RunHistory read_history(const JsonNode& node);

}  // namespace feedrate
