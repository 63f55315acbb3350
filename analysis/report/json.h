// SPDX-License-Identifier: Apache-2.0
// run.json: a RunResult without the recommendation of a tune, raw timings included. Keys are the
// members' names and the metrics' tags; `schema_version` changes if an old reader would misread a
// new file. One line per cell. Any thread.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "core/json_node.h"
#include "core/result.h"

namespace feedrate {

inline constexpr int kRunSchemaVersion = 1;

/// Metrics that are not finite are left out; such values of series become null.
void write_run_json(std::ostream& out, const RunResult& run);

/// Throws FormatError (file, and byte or key), SystemError.
[[nodiscard]] RunResult read_run_json(const std::filesystem::path& path);

/// The JSON of run.json on one line, without a line end.
[[nodiscard]] std::string repeat_to_json(const Repeat& repeat);
[[nodiscard]] std::string settings_to_json(const Settings& settings);
/// Throw FormatError beginning with `name`.
[[nodiscard]] Repeat repeat_from_json(std::string_view text, const std::string& name);
[[nodiscard]] Settings settings_from_json(std::string_view text, const std::string& name);
[[nodiscard]] Settings read_settings(const JsonNode& node);

/// The journal line of the last start of `cell`, measured or failed: add_start_from_json() adds it
/// to the cell before that start.
[[nodiscard]] std::string start_to_json(const CellResult& cell);

/// Adds such a line to the run it belongs to. A start that is there already is left as it is.
/// Throws FormatError beginning with `name`.
void add_start_from_json(std::string_view line, const std::string& name, RunResult& run);

}  // namespace feedrate
