// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/load_run.h"

#include <fmt/format.h>

#include "analysis/limits.h"
#include "analysis/report/csv.h"
#include "analysis/report/json.h"
#include "analysis/report/recommended.h"
#include "analysis/report/run_journal.h"
#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

bool holds_something(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && fs::file_size(file, error) > 0 && !error;
}

// A killed run may leave an empty file.
fs::path result_in(const fs::path& folder) {
  for (const char* const name : {"run.json", "cells.csv"}) {
    if (holds_something(folder / name)) return folder / name;
  }
  throw ConfigError(fmt::format(
      "{}: has no run.json or cells.csv; must be a folder of `feedrate sweep`", folder.string()));
}

}  // namespace

bool holds_run(const fs::path& folder) {
  return holds_something(folder / "run.json") || holds_something(folder / "cells.csv");
}

RunResult load_run(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw ConfigError(fmt::format(
        "{}: does not exist; must be the folder of a run, its run.json or its cells.csv",
        path.string()));
  }
  const fs::path file = fs::is_directory(path, error) ? result_in(path) : path;
  if (file.extension() != ".json") return read_cells_csv(file);
  if (file.filename() != "run.json") return read_run_json(file);
  const JournalSnapshot journal(file.parent_path() / kJournalFile);
  RunResult run = read_run_json(file);
  if (!journal.is_empty()) {
    journal.add_to(run);
    judge_by_limits(run);
  }
  run.recommended = read_recommended(file.parent_path(), run);
  return run;
}

}  // namespace feedrate
