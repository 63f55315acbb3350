// SPDX-License-Identifier: Apache-2.0
// Predicts the rates of a recorded run in a changed world: with a faster GPU, more cores, or more
// cached data. Pure functions; any thread. The run must outlive what they return.
#pragma once
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/tuner/forecast.h"
#include "core/result.h"

namespace feedrate {

inline constexpr std::size_t kAllLimits = std::numeric_limits<std::size_t>::max();

struct Answer {
  World world;
  std::vector<Forecast> forecasts;  ///< highest `then` first
  /// Indices of the cheapest forecasts within 1 % of the fastest. best_today is the proposal of the
  /// run (analysis/answer.h), if it has one.
  std::size_t best_today = 0;
  std::size_t best_then = 0;
  /// The cores, with as many workers, at which batches no longer limit the best settings
  /// (enough_cores()); empty if no number is enough, or workers were not measured.
  std::optional<std::size_t> enough_cores;
  /// The most measured workers, if the best settings have more: their rate is extrapolated.
  std::optional<std::size_t> extrapolated_beyond = {};
  /// False if no cell shows the time of the training: enough_cores is unknown.
  bool training_is_known = true;

  [[nodiscard]] double gain() const;  ///< best then / best today - 1
};

/// The replay's error on cells that it was not fitted to.
struct HeldOut {
  double median_error = std::numeric_limits<double>::quiet_NaN();
  std::size_t cells = 0;

  /// Whether the gain is below the model's error.
  [[nodiscard]] bool hides(double gain) const;
};

/// Cells under the same conditions (situate()).
struct Situation {
  std::string name;                      ///< its conditions that vary; may be empty
  bool is_loader_alone = false;          ///< all cells have the mock trainer
  std::vector<const CellResult*> cells;  ///< measured and pending ones, no limits
  HeldOut held_out;
  std::vector<Answer> answers;  ///< one per predictable world, in their order
};

/// Sets the limits of the best and of the first `limited` forecasts. A loader alone gets no answer
/// for another GPU. A world with cached data is answered if cells with `cache` at warm and at cold
/// make the same batches; the rates today are then the cold ones. `cores`: of the recorded machine.
/// REQUIRES: cores > 0
[[nodiscard]] std::vector<Situation> what_if(const RunResult& run, double cores,
                                             std::span<const World> worlds,
                                             std::size_t limited = kAllLimits);

/// Adds pending cells with settings that a watched training did not use: for each loader other
/// numbers of workers, up to the cores, or beyond if loading mostly waits, and other prefetch
/// factors. REQUIRES: cores > 0
void add_unmeasured(RunResult& run, double cores);

/// The unchanged world; twice the GPU speed; twice the cores; half of the data cached; all of it
/// cached.
[[nodiscard]] std::vector<World> standard_worlds(double cores);

}  // namespace feedrate
