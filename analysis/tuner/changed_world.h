// SPDX-License-Identifier: Apache-2.0
// The fitted model in a world that was not measured: with another GPU, more or fewer cores, more of
// the data in the page cache; and what limits a step there. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <optional>

#include "analysis/limits.h"
#include "analysis/tuner/fit.h"

namespace feedrate {

/// What is different. Everything else is as it was measured.
struct World {
  double gpu_speed = 1.0;             ///< kernels take compute / gpu_speed; copies what they took
  std::optional<double> cores = {};   ///< CPUs; nothing: as many as there were
  std::optional<double> cached = {};  ///< share of the data in the page cache; nothing: as it was

  friend bool operator==(const World&, const World&) = default;
};

/// The GPU and the cores of `world`; for what is cached see mix_caches(). A fitted limit on the
/// batches that are made at a time grows with the cores, unless it is clearly lower than cores and
/// workers explain: then it is the storage's, or the memory's, and stays. `most_workers`: of the
/// cells that the model was fitted to. REQUIRES: positive values
[[nodiscard]] FittedModel in_world(FittedModel model, const World& world, std::size_t most_workers);

/// Batches of which the share `cached` of the samples comes from the page cache: times of loading
/// are means of both, weighted by the share (as DS-Analyzer's what-if tool does: Mohan et al.,
/// Analyzing and Mitigating Data Stalls in DNN Training, PVLDB 14(5), 2021).
/// REQUIRES: 0 <= cached <= 1
[[nodiscard]] FittedModel mix_caches(const FittedModel& cold, const FittedModel& warm,
                                     double cached);

struct StepLimit {
  Bottleneck what = Bottleneck::kGpu;
  double stall = 0.0;  ///< share of the step that loading and copies cost
};

/// Where a step's time goes, by the rules of analysis/limits.h with the replay in place of the
/// measured limits: a stall of at most 2 % is GPU; else what wins most when it costs nothing:
/// making batches (storage where reading is most of it), handing them over, or the copy.
[[nodiscard]] StepLimit limit_in(const FittedModel& model, const LoopSettings& settings);

/// The smallest number of cores, and as many workers, from which on making batches costs at most
/// 2 % of a step; nothing where none up to 256 does.
[[nodiscard]] std::optional<std::size_t> enough_cores(const FittedModel& model,
                                                      const LoopSettings& settings,
                                                      std::size_t most_workers);

}  // namespace feedrate
