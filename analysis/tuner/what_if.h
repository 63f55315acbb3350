// SPDX-License-Identifier: Apache-2.0
// What a recorded run would reach in a changed world: with a faster GPU, with more cores, with some
// of the data in the page cache. Pure functions; any thread. The run must outlive what they return.
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
  std::vector<Forecast> forecasts;  ///< fastest then first
  /// The cheapest within 1 % of the fastest, of `forecasts`; today's is what the run's tune or its
  /// table proposes (analysis/answer.h), where it does.
  std::size_t best_today = 0;
  std::size_t best_then = 0;
  /// Cores, and workers, from which on the best settings then would not wait for batches to be made
  /// (enough_cores()); nothing where no number is enough, or nothing is known of workers.
  std::optional<std::size_t> enough_cores;
  /// The workers that making batches was seen with, where the best settings then have more: what
  /// these would make is extrapolated.
  std::optional<std::size_t> extrapolated_beyond = {};
  /// False where no cell shows what the training takes, so that enough_cores is not known.
  bool training_is_known = true;

  [[nodiscard]] double gain() const;  ///< of the best then over the best today; 0.04: 4 % faster
};

/// How well the replay predicts cells that it was not fitted to.
struct HeldOut {
  double median_error = std::numeric_limits<double>::quiet_NaN();
  std::size_t cells = 0;

  /// Whether the model's error is larger than such a gain: it may as well be none, or twice as
  /// much.
  [[nodiscard]] bool hides(double gain) const;
};

/// Cells that leave a choice: they differ in settings of the loader and of the copy only. Cells
/// under other conditions (analysis/conditions.h) are another situation.
struct Situation {
  std::string name;                      ///< what tells it from others; may be empty
  bool is_loader_alone = false;          ///< no cell trains
  std::vector<const CellResult*> cells;  ///< measured and pending ones, no mocks
  HeldOut held_out;
  std::vector<Answer> answers;  ///< to the worlds that can be told of, in their order
};

/// Limits are those of the best and of the first `limited` forecasts; of others they are not set.
/// A world with another GPU is not answered for a loader alone. A world whose share of cached data
/// is given is answered where cells with `cache` at warm and at
/// cold make the same batches; the rates today are then the cold ones. REQUIRES: cores > 0, those
/// of the machine that the run was recorded on
[[nodiscard]] std::vector<Situation> what_if(const RunResult& run, double cores,
                                             std::span<const World> worlds,
                                             std::size_t limited = kAllLimits);

/// The world as it was; a GPU twice as fast; twice the cores; half of the data cached, and all.
[[nodiscard]] std::vector<World> standard_worlds(double cores);

}  // namespace feedrate
