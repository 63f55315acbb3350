// SPDX-License-Identifier: Apache-2.0
// What one setting of a recorded run would reach in a changed world. One thread.
//
// The replay is fitted to all that was measured of the same work. A forecast is the measured rate
// times the replay's rate in the changed world by its rate in the world as it was, so that what the
// model does not know of a cell stays as it is (of a cell that is pending: the replay's rate); and
// no cell is faster than the trainer alone.
#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/tuner/changed_world.h"
#include "analysis/tuner/fitted_work.h"
#include "analysis/tuner/replays.h"

namespace feedrate {

/// Of one setting. Rates are samples per second.
struct Forecast {
  Settings settings;
  /// Null where the run has no such cell: the best of it with as many workers as there would be
  /// cores.
  const CellResult* cell = nullptr;
  double today = std::numeric_limits<double>::quiet_NaN();  ///< measured; not a number: it was not
  double then = 0.0;
  /// As `then`, by as many workers on the cores that there are; not a number where there is a cell.
  double without_cores = std::numeric_limits<double>::quiet_NaN();
  /// By the replay, both; set by Forecaster::limit().
  StepLimit limit_today;
  StepLimit limit_then;
};

/// Of one work in one world; all of it must outlive this.
class Forecaster {
 public:
  /// `today`: of the work's model, shared by all worlds. REQUIRES: where world.cached is given,
  /// `warm` is not null
  Forecaster(const FittedWork& work, const FittedWork* warm, const World& world, Replays& today);

  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] std::size_t probed_workers() const { return work_.most_workers; }
  [[nodiscard]] bool training_is_known() const {
    return work_.model.training_is_known && !work_.is_loader_alone();
  }

  /// REQUIRES: of the work's cells, measured or pending
  [[nodiscard]] Forecast forecast(const CellResult& cell);

  /// The settings of `base`, which has a cell, with another number of workers, which no cell has.
  [[nodiscard]] Forecast with_workers(const Forecast& base, std::size_t workers);

  /// Sets the limits of a forecast, which take five times as long as its rate.
  void limit(Forecast& forecast);

  /// As enough_cores(); nothing where the work has no cell with workers.
  [[nodiscard]] std::optional<std::size_t> cores_enough_for(const Settings& settings) const;

 private:
  [[nodiscard]] Forecast make(const Settings& settings, double corrected, double today);
  [[nodiscard]] double correction(const CellResult& cell);
  [[nodiscard]] double ceiling(const Settings& settings, double today);

  const FittedWork& work_;
  const FittedWork* warm_;
  World world_;
  Replays& today_;
  Replays then_;
  std::vector<std::pair<LoopSettings, double>> trainers_;  // Mock loaders, with their rates.
};

}  // namespace feedrate
