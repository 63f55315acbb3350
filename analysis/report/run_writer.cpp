// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/run_writer.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "analysis/report/csv.h"
#include "analysis/report/json.h"
#include "analysis/report/load_run.h"
#include "analysis/report/ranks.h"
#include "analysis/report/recommended.h"
#include "analysis/report/run_journal.h"
#include "analysis/report/table.h"
#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

constexpr const char* kCellsFile = "cells.csv";
constexpr const char* kRanksFile = "ranks.csv";
constexpr const char* kJsonFile = "run.json";
constexpr const char* kTableFile = "table.md";

std::string cells_csv(const RunResult& run) {
  std::ostringstream text;
  write_cells_csv(text, run);
  return std::move(text).str();
}

std::string ranks_csv(const RunResult& run) {
  std::ostringstream text;
  write_ranks_csv(text, run);
  return std::move(text).str();
}

std::string run_json(const RunResult& run) {
  std::ostringstream text;
  write_run_json(text, run);
  return std::move(text).str();
}

std::string table_markdown(const RunResult& run) {
  std::ostringstream text;
  print_results(text, run, TableStyle::kMarkdown);
  return std::move(text).str();
}

void remove_file(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error) throw SystemError(file.string(), "cannot remove", error.value());
}

std::filesystem::path created(std::filesystem::path folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder, unknown)) {
    const std::string why = error ? error.message() : "is not a folder";
    throw ConfigError(
        fmt::format("{}: cannot be the results folder: {}; choose a writable folder with --out",
                    folder.string(), why));
  }
  return folder;
}

bool is_of_a_start(const CellResult& cell) {
  return cell.outcome == Outcome::kOk || cell.outcome == Outcome::kFailed;
}

// Files without a start are no result; unreadable files may be one.
bool holds_results(const std::filesystem::path& folder) try {
  if (!holds_run(folder)) return false;
  const RunResult run = load_run(folder);
  return std::any_of(run.cells.begin(), run.cells.end(), is_of_a_start);
} catch (const Error&) {
  return true;
}

void require_no_results(const std::filesystem::path& folder) {
  std::error_code error;
  const bool is_recommended = std::filesystem::exists(folder / kRecommendationFile, error);
  if (!is_recommended && !holds_results(folder)) return;
  throw ConfigError(
      fmt::format("{0}: holds the results of another run; choose another folder with --out, resume "
                  "that run (feedrate sweep --resume {0}), or overwrite it with --force",
                  folder.string()));
}

}  // namespace

RunWriter::RunWriter(std::filesystem::path folder, const Clock& clock, EarlierRun earlier)
    : folder_(created(std::move(folder))),
      clock_(clock),
      lock_(folder_),
      is_first_write_of_new_run_(earlier != EarlierRun::kContinue) {
  if (earlier == EarlierRun::kRefuse) require_no_results(folder_);
  if (earlier == EarlierRun::kContinue) killed_in_ = read_begun(folder_ / kBegunFile);
  try {
    for (const char* const name : {kCellsFile, kJsonFile, kTableFile}) touch_file(folder_ / name);
  } catch (const SystemError& error) {
    throw ConfigError(fmt::format("{}: cannot be written ({}); choose another folder with --out",
                                  folder_.string(), error.what()));
  }
}

void RunWriter::write(const RunResult& run) { write_since(clock_.now(), run); }

void RunWriter::write_since(Nanos begin, const RunResult& run) {
  // Removes another run's journal first: a kill must not leave it with the new run.json. The run's
  // own journal may stay, since its starts are added once.
  if (std::exchange(is_first_write_of_new_run_, false)) {
    remove_file(folder_ / kJournalFile);
    remove_file(folder_ / kBegunFile);
  }
  replace_file(folder_ / kJsonFile, run_json(run));
  remove_file(folder_ / kJournalFile);
  replace_file(folder_ / kCellsFile, cells_csv(run));
  if (has_ranks(run)) {
    replace_file(folder_ / kRanksFile, ranks_csv(run));
  } else {
    remove_file(folder_ / kRanksFile);
  }
  replace_file(folder_ / kTableFile, table_markdown(run));
  if (!run.recommended) remove_file(folder_ / kRecommendationFile);
  end_start();
  warnings_written_ = run.environment.warnings.size();
  constexpr int kShare = 100;
  next_write_ = clock_.now() + (clock_.now() - begin) * kShare;
}

void RunWriter::record(const RunResult& run, const CellResult& cell,
                       const std::function<void()>& before_write) {
  forget_kills();
  const bool has_new_warnings = run.environment.warnings.size() != warnings_written_;
  if (const Nanos begin = clock_.now(); has_new_warnings || begin >= next_write_) {
    before_write();
    write_since(begin, run);
  } else {
    append_to_journal(folder_ / kJournalFile, cell);
    end_start();
  }
}

void RunWriter::begin(const CellResult& cell) {
  std::vector<std::size_t> begun = killed_in_;
  begun.push_back(cell.index);
  write_begun(folder_ / kBegunFile, begun);
  is_under_way_ = true;
}

void RunWriter::end_start() {
  if (!std::exchange(is_under_way_, false)) return;
  if (killed_in_.empty()) {
    remove_file(folder_ / kBegunFile);
  } else {
    write_begun(folder_ / kBegunFile, killed_in_);
  }
}

}  // namespace feedrate
