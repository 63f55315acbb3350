// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/fitted_work.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/conditions.h"
#include "analysis/noise.h"
#include "analysis/tuner/settings.h"
#include "analysis/tuner/work_groups.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

bool has_cache(const Settings& settings, const char* state) {
  return text_of(settings, "cache") == state;
}

bool has_rate(const CellResult& cell) {
  const double* const step = find_metric(cell.metrics, "step_time");
  return cell.outcome == Outcome::kOk && rate_of(cell) > 0.0 && step != nullptr && *step > 0.0;
}

// Most published tables are of the loader alone.
std::vector<const CellResult*> cells_to_choose(const RunResult& run) {
  std::vector<const CellResult*> real, loaders;
  for (const CellResult& cell : run.cells) {
    if (!has_rate(cell)) continue;
    if (!is_limit(cell)) real.push_back(&cell);
    if (!loop_settings(cell.settings).cached) loaders.push_back(&cell);
  }
  return real.empty() ? loaders : real;
}

double read_share(std::span<const CellResult* const> cells) {
  std::vector<double> shares;
  for (const CellResult* cell : cells) {
    const double* const read = find_metric(cell->metrics, "read_time");
    const double* const decode = find_metric(cell->metrics, "decode_time");
    const double* const transform = find_metric(cell->metrics, "transform_time");
    if (read == nullptr || decode == nullptr) continue;
    const double all = *read + *decode + (transform == nullptr ? 0.0 : *transform);
    if (all > 0.0) shares.push_back(*read / all);
  }
  return median(shares);
}

// Workers of mock trainers never wait for training.
std::size_t probed_workers(std::span<const CellResult* const> measured) {
  std::size_t alone = 0, any = 0;
  for (const CellResult* cell : measured) {
    const LoopSettings loop = loop_settings(cell->settings);
    any = std::max(any, loop.num_workers);
    if (loop.discard) alone = std::max(alone, loop.num_workers);
  }
  return alone > 1 ? alone : any;
}

void add_pending(std::vector<FittedWork>& works, const RunResult& run) {
  for (const CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kPending || is_limit(cell)) continue;
    const auto work = std::find_if(works.begin(), works.end(), [&](const FittedWork& one) {
      return same_work(one.settings(), cell.settings);
    });
    if (work != works.end()) work->pending.push_back(&cell);
  }
}

FittedWork fit_work(const RunResult& run, std::vector<const CellResult*> cells, double cores) {
  FittedWork work;
  work.cells = std::move(cells);
  for (const CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kOk || text_of(cell.settings, "loader") == "resident") continue;
    if (!same_work(cell.settings, work.settings())) continue;
    work.measured.push_back(&cell);
  }
  work.most_workers = probed_workers(work.measured);
  work.model = fit_model(work.measured, cores);
  work.model.read_share = read_share(work.cells);
  return work;
}

// An empty value counts, such as no `emulate`. A work may include both values of drop_last.
std::vector<std::string> differing_conditions(std::span<const FittedWork> works) {
  std::vector<std::string> names;
  if (works.empty()) return names;
  for (const Setting& setting : works.front().settings()) {
    const bool is_telling = std::any_of(works.begin(), works.end(), [&](const FittedWork& work) {
      return text_of(work.settings(), setting.name) != to_string(setting.value);
    });
    const bool is_given = is_condition(setting.name) && setting.name != "drop_last";
    if (is_given && is_telling) names.push_back(setting.name);
  }
  return names;
}

std::string situation_of(const FittedWork& work, const std::vector<std::string>& conditions) {
  std::string words;
  for (const std::string& name : conditions) words += text_of(work.settings(), name) + '\n';
  return words;
}

}  // namespace

std::vector<FittedWork> fit_works(const RunResult& run, double cores) {
  const std::vector<const CellResult*> cells = cells_to_choose(run);
  std::vector<FittedWork> works;
  for (std::vector<const CellResult*>& group : work_groups(cells)) {
    works.push_back(fit_work(run, std::move(group), cores));
  }
  add_pending(works, run);
  return works;
}

bool FittedWork::is_loader_alone() const { return loop_settings(settings()).discard; }

Settings warmed(Settings settings) {
  for (Setting& setting : settings) {
    if (setting.name == "cache") setting.value = std::string("warm");
  }
  return settings;
}

const FittedWork* find_warm(std::span<const FittedWork> works, const FittedWork& cold) {
  if (!has_cache(cold.settings(), "cold")) return nullptr;
  const auto found = std::find_if(works.begin(), works.end(), [&](const FittedWork& other) {
    return has_cache(other.settings(), "warm") &&
           same_work(other.settings(), warmed(cold.settings()));
  });
  return found == works.end() ? nullptr : &*found;
}

std::vector<SituatedWorks> situate(std::span<const FittedWork> works) {
  const std::vector<std::string> telling = differing_conditions(works);
  std::vector<SituatedWorks> situations;
  std::vector<std::string> known;
  for (const FittedWork& work : works) {
    const std::string words = situation_of(work, telling);
    const auto found = std::find(known.begin(), known.end(), words);
    if (found != known.end()) {
      situations[static_cast<std::size_t>(found - known.begin())].works.push_back(&work);
      continue;
    }
    known.push_back(words);
    situations.push_back({describe(*work.cells.front(), telling), {&work}});
  }
  return situations;
}

}  // namespace feedrate
