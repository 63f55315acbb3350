// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/tuner/what_if.h"
#include "analysis/watched_cells.h"

namespace feedrate {
namespace {

// Same limit as in a tuned training: at most four workers per CPU.
std::int64_t most_workers(const CellResult& cell, double cores) {
  constexpr double kLeastShare = 0.25, kMost = 256.0;
  const double* const wall = find_metric(cell.metrics, "fetch_time");
  const double* const cpu = find_metric(cell.metrics, "fetch_cpu_time");
  const double share = wall != nullptr && cpu != nullptr && *wall > 0.0 ? *cpu / *wall : 1.0;
  const double most = cores / std::clamp(share, kLeastShare, 1.0);
  return static_cast<std::int64_t>(std::clamp(most, 1.0, kMost));
}

void give(Settings& settings, const char* name, const SettingValue& value) {
  for (Setting& setting : settings) {
    if (setting.name == name) setting.value = value;
  }
}

Settings with_workers(Settings settings, std::int64_t workers, std::int64_t prefetch_factor) {
  const bool had_none = count_of(settings, "num_workers") == 0;
  give(settings, "num_workers", workers);
  give(settings, "prefetch_factor", workers > 0 ? SettingValue(prefetch_factor) : std::string());
  if (workers > 0 && !had_none) return settings;
  give(settings, "persistent_workers", workers > 0 ? SettingValue(false) : std::string());
  give(settings, "in_order", workers > 0 ? SettingValue(true) : std::string());
  give(settings, "multiprocessing_context", std::string());
  return settings;
}

bool are_alike_but_for_start(const Settings& a, Settings b) {
  give(b, "multiprocessing_context", text_of(a, "multiprocessing_context"));
  return a == b;
}

}  // namespace

void add_unmeasured(RunResult& run, double cores) {
  std::vector<CellResult> loaders;  // Copies, since adding cells invalidates pointers.
  for (const CellResult* cell : last_cells(run)) loaders.push_back(*cell);
  for (const CellResult& loader : loaders) {
    const std::int64_t most = most_workers(loader, cores);
    for (std::int64_t workers = 0; workers <= most; workers += workers < 4 ? 1 : workers / 4 + 1) {
      for (const std::int64_t prefetch_factor : {2, 4}) {
        CellResult cell;
        cell.settings = with_workers(loader.settings, workers, prefetch_factor);
        const bool is_known =
            std::any_of(run.cells.begin(), run.cells.end(), [&](const CellResult& known) {
              return are_alike_but_for_start(known.settings, cell.settings);
            });
        if (is_known) continue;
        cell.index = run.cells.size();
        run.cells.push_back(std::move(cell));
      }
    }
  }
}

}  // namespace feedrate
