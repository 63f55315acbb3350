// SPDX-License-Identifier: Apache-2.0
#include "bench/resume.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::string without_figures(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  return text;
}

void compare_fact(const Fact& before, const std::string& value, const ResumeOptions& options,
                  Environment& now) {
  if (before.value == value || !is_worth_a_warning(before.name)) return;
  if (must_match(before.name) && !options.may_mix) {
    throw ConfigError(
        fmt::format("{}: {} was \"{}\" and is \"{}\": new repeats would not be comparable with the "
                    "earlier ones; start a new run with --out, or mix them with --mix",
                    options.folder.string(), fact_in_words(before.name), before.value, value));
  }
  now.warnings.push_back(
      fmt::format("Some repeats were measured with {} \"{}\", others with \"{}\".",
                  fact_in_words(before.name), before.value, value));
}

std::string describe_difference(const CellResult& stored, const Cell& cell) {
  for (const Setting& setting : Settings(cell.settings)) {
    const std::string before = setting_text(stored, setting.name);
    const std::string now = to_string(setting.value);
    if (before != now) return fmt::format("{} was \"{}\" and is \"{}\"", setting.name, before, now);
  }
  const bool was_skipped = stored.outcome == Outcome::kSkipped;
  if (was_skipped || cell.skip_reason.empty()) return {};
  return fmt::format("it was not skipped before and is skipped now: {}", cell.skip_reason);
}

}  // namespace

bool has_run_in(const fs::path& folder) {
  std::error_code error;
  const fs::path file = folder / "run.json";
  return fs::is_regular_file(file, error) && fs::file_size(file, error) > 0;
}

void require_run_in(const fs::path& folder) {
  if (has_run_in(folder)) return;
  throw ConfigError(fmt::format(
      "{}: has no run.json to resume; must be a folder of `feedrate sweep`", folder.string()));
}

void require_same_config(const RunResult& stored, const fs::path& file, const fs::path& folder) {
  if (file.empty() || load_config(file).text == stored.config_text) return;
  throw ConfigError(
      fmt::format("{}: differs from what {} was measured with; omit it to resume with the saved "
                  "configuration, or start a new run with --out",
                  file.string(), folder.string()));
}

void require_same_plan(const RunResult& stored, const std::vector<Cell>& plan,
                       const fs::path& folder) {
  const auto refuse = [&](const std::string& difference) {
    throw ConfigError(
        fmt::format("{}: the plan has changed: {}; resume with the same options and version of "
                    "feedrate, or start a new run with --out",
                    folder.string(), difference));
  };
  if (stored.cells.size() != plan.size()) {
    refuse(fmt::format("it had {} cells and now has {}", stored.cells.size(), plan.size()));
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const std::string difference = describe_difference(stored.cells[i], plan[i]);
    if (!difference.empty()) refuse(fmt::format("cell {}: {}", plan[i].index, difference));
  }
}

void plan_skipped_cells(RunResult& run, const std::vector<Cell>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    CellResult& cell = run.cells.at(i);
    if (cell.outcome != Outcome::kSkipped || !plan[i].skip_reason.empty()) continue;
    cell.outcome = Outcome::kPending;
    cell.reason.clear();
  }
}

void retry_failed_cells(RunResult& run) {
  for (CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kFailed) continue;
    cell.outcome = cell.repeats.empty() ? Outcome::kPending : Outcome::kOk;
    cell.reason.clear();
  }
}

void fail_cells_that_kill(RunResult& run, const std::vector<std::size_t>& killed_in,
                          std::string_view cure) {
  constexpr int kOften = 2;
  for (CellResult& cell : run.cells) {
    const auto times = std::count(killed_in.begin(), killed_in.end(), cell.index);
    if (times < kOften) continue;
    cell.outcome = Outcome::kFailed;
    cell.reason = fmt::format(
        "feedrate was killed or crashed {} times while measuring this cell; {}", times, cure);
  }
}

std::string describe_missing(const RunResult& run, std::size_t repeats, const fs::path& folder) {
  std::size_t missing = 0;
  std::size_t failed = 0;
  for (const CellResult& cell : run.cells) {
    if (cell.outcome == Outcome::kFailed) ++failed;
    if (cell.outcome != Outcome::kOk && cell.outcome != Outcome::kPending) continue;
    missing += repeats - std::min(cell.repeats.size(), repeats);
  }
  std::string text = fmt::format("{}: {} repeat{} missing", folder.string(), missing,
                                 missing == 1 ? " is" : "s are");
  if (missing == 0) text += "; --repeats +3 adds three to each cell";
  if (failed > 0) {
    text += fmt::format("; {} cell{} failed; --retry-failed retries failed cells", failed,
                        failed == 1 ? " has" : "s have");
  }
  return text;
}

Environment continued_environment(const Environment& before, Environment now,
                                  const ResumeOptions& options) {
  for (const Fact& fact : before.facts) {
    if (const std::string* value = find_fact(now.facts, fact.name)) {
      compare_fact(fact, *value, options, now);
    } else {
      now.facts.push_back(fact);
    }
  }
  for (const std::string& warning : before.warnings) {
    if (!holds_warning(now.warnings, warning)) now.warnings.push_back(warning);
  }
  return now;
}

bool must_match(const std::string& name) {
  constexpr std::array<std::string_view, 5> kNames{"cpu_model", "cpus_usable", "memory_total",
                                                   "storage", "build_type"};
  constexpr std::array<std::string_view, 4> kKinds{"device ", "dataset ", "engine ", "emulate "};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kKinds.begin(), kKinds.end(),
                     [&](std::string_view kind) { return name.starts_with(kind); });
}

bool is_worth_a_warning(const std::string& name) {
  constexpr std::array<std::string_view, 6> kNames{"feedrate", "host_name", "kernel",
                                                   "os",       "compiler",  "host_all_reduce"};
  return must_match(name) || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The fact's name has no format if the sweep names none.
std::string fact_in_words(const std::string& name) {
  return name == "dataset " ? "the dataset" : name;
}

bool holds_warning(const std::vector<std::string>& warnings, const std::string& warning) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& one) {
    return without_figures(one) == without_figures(warning);
  });
}

}  // namespace feedrate
