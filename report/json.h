// run.json: everything of a RunResult, raw timings included. Keys are the members' names and the
// metrics' tags; `schema_version` changes whenever an old reader would misread a new file. One cell
// a line. Any thread.
#pragma once
#include <filesystem>
#include <iosfwd>

#include "report/result.h"

namespace feedrate {

inline constexpr int kRunSchemaVersion = 1;

/// A metric that is not finite is left out; such a value of a series becomes null.
void write_run_json(std::ostream& out, const RunResult& run);

/// Throws FormatError (file, and byte or key), SystemError.
[[nodiscard]] RunResult read_run_json(const std::filesystem::path& path);

}  // namespace feedrate
