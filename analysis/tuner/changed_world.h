// SPDX-License-Identifier: Apache-2.0
// Transfers the fitted model to an unmeasured world, with another GPU, other cores or more cached
// data, and finds the limit of a step there. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "analysis/limits.h"
#include "analysis/tuner/fit.h"

namespace feedrate {

/// Changes of the recorded world.
struct World {
  double gpu_speed = 1.0;             ///< divides the time of kernels; copies are unchanged
  std::optional<double> cores = {};   ///< CPUs; empty: unchanged
  std::optional<double> cached = {};  ///< share of the data in the page cache; empty: unchanged

  friend bool operator==(const World&, const World&) = default;
};

/// Applies the GPU and the cores of `world`; mix_caches() applies `cached`. A fitted limit on
/// concurrent batches (Cores::lanes) grows with the cores, unless it is clearly below what cores
/// and workers explain: then storage or memory sets it, and it stays. `most_workers`: of the cells
/// that the model was fitted to. REQUIRES: positive values
[[nodiscard]] FittedModel in_world(FittedModel model, const World& world, std::size_t most_workers);

/// Takes loading times as means of both models, weighted by the share `cached` of samples that come
/// from the page cache (as DS-Analyzer's what-if tool: Mohan et al., Analyzing and Mitigating Data
/// Stalls in DNN Training, PVLDB 14(5), 2021). REQUIRES: 0 <= cached <= 1
[[nodiscard]] FittedModel mix_caches(const FittedModel& cold, const FittedModel& warm,
                                     double cached);

struct StepLimit {
  Bottleneck what = Bottleneck::kGpu;
  double stall = 0.0;  ///< share of the step spent on loading and copies
};

/// Classifies the limit by the rules of analysis/limits.h, with replays in place of measured
/// limits: GPU for a stall of at most 2 %; else the part whose removal saves most: making batches
/// (storage if reading is most of it), transport, or the copy.
[[nodiscard]] StepLimit limit_in(const FittedModel& model, const LoopSettings& settings);

/// The smallest number of cores, with as many workers, with which making batches costs at most 2 %
/// of a step; empty if 256 are too few.
[[nodiscard]] std::optional<std::size_t> enough_cores(const FittedModel& model,
                                                      const LoopSettings& settings,
                                                      std::size_t most_workers);

/// Caches the replays of a fitted model: cells of a run often differ only in settings that the
/// replay ignores. One thread.
class Replays {
 public:
  explicit Replays(FittedModel model) : model_(std::move(model)) {}

  [[nodiscard]] const FittedModel& model() const { return model_; }
  [[nodiscard]] double step_time(const LoopSettings& settings);
  [[nodiscard]] double rate(const Settings& settings);
  [[nodiscard]] StepLimit limit(const LoopSettings& settings);

 private:
  FittedModel model_;
  std::map<LoopSettings, double> step_times_;
  std::map<LoopSettings, StepLimit> limits_;
};

}  // namespace feedrate
