// SPDX-License-Identifier: Apache-2.0
// For errors that name what was not found. Pure function; any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// "; did you mean num_workers?", of the known word with the fewest letters to change; empty where
/// none is close.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& known);

}  // namespace feedrate
