// SPDX-License-Identifier: Apache-2.0
// run.json: everything of a RunResult but what a tune recommends, raw timings included. Keys are
// the members' names and the metrics' tags; `schema_version` changes whenever an old reader would
// misread a new file. One cell a line. Any thread.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "core/json_node.h"
#include "core/result.h"

namespace feedrate {

inline constexpr int kRunSchemaVersion = 1;

/// A metric that is not finite is left out; such a value of a series becomes null.
void write_run_json(std::ostream& out, const RunResult& run);

/// Throws FormatError (file, and byte or key), SystemError.
[[nodiscard]] RunResult read_run_json(const std::filesystem::path& path);

/// As they stand in run.json, on one line without its end.
[[nodiscard]] std::string repeat_to_json(const Repeat& repeat);
[[nodiscard]] std::string settings_to_json(const Settings& settings);
/// Throw FormatError beginning with `name`.
[[nodiscard]] Repeat repeat_from_json(std::string_view text, const std::string& name);
[[nodiscard]] Settings settings_from_json(std::string_view text, const std::string& name);
[[nodiscard]] Settings read_settings(const JsonNode& node);

/// A line: what the last start of `cell` has left, measured or failed. It makes of the cell as it
/// was before that start the cell as it is.
[[nodiscard]] std::string start_to_json(const CellResult& cell);

/// Adds such a line to the run it belongs to. A start that is there already is left as it is.
/// Throws FormatError beginning with `name`.
void add_start_from_json(std::string_view line, const std::string& name, RunResult& run);

}  // namespace feedrate
