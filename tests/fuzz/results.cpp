// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/results.h"

#include <utility>
#include <vector>

#include "analysis/limits.h"
#include "analysis/report/page_data.h"
#include "analysis/tuner/replayable.h"
#include "analysis/tuner/settings.h"
#include "analysis/tuner/what_if.h"
#include "tests/fuzz/harness.h"

namespace feedrate::fuzz {
namespace {

// Replays small runs only, since replays take long.
void replay_results(const RunResult& run) {
  constexpr std::size_t kFewCells = 4;
  constexpr std::size_t kFewBatches = 64;
  accepts([&] {
    require_replayable(run, "fuzz");
    if (run.cells.size() > kFewCells) return;
    for (const CellResult& cell : run.cells) {
      const LoopSettings loop = loop_settings(cell.settings);
      if (loop.num_workers * loop.prefetch_factor > kFewBatches) return;
    }
    constexpr double kCores = 2.0;
    for (const Situation& one : what_if(run, kCores, standard_worlds(kCores))) touch(one.name);
  });
}

}  // namespace

void use_results(RunResult run) {
  replay_results(run);
  accepts([&] {
    judge_by_limits(run);
    std::vector<PageRun> runs(2);
    runs[0] = {"a", run, {}};
    runs[1] = {"b", std::move(run), {}};
    touch(page_data(runs));
  });
}

}  // namespace feedrate::fuzz
