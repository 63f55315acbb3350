// SPDX-License-Identifier: Apache-2.0
// Forecasts the rate of one setting of a recorded run in a changed world. One thread.
//
// The replay is fitted to all cells of the same work. A forecast is the measured rate times the
// ratio of the replayed rates in the changed and in the recorded world, which keeps what the model
// does not explain; for a pending cell it is the replayed rate. The rate of the trainer alone is an
// upper bound.
#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/tuner/changed_world.h"
#include "analysis/tuner/fitted_work.h"

namespace feedrate {

/// Rates are samples per second.
struct Forecast {
  Settings settings;
  /// Null if the run has no such cell: the best settings with as many workers as there would be
  /// cores.
  const CellResult* cell = nullptr;
  double today = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not measured
  double then = 0.0;
  /// `then` without the added cores; NaN if there is a cell.
  double without_cores = std::numeric_limits<double>::quiet_NaN();
  /// Set by Forecaster::limit(), from the replay.
  StepLimit limit_today;
  StepLimit limit_then;
};

/// Forecasts cells of one work in one world. All arguments must outlive this.
class Forecaster {
 public:
  /// `today`: replays of the work's model, shared by all worlds. REQUIRES: `warm` is not null if
  /// world.cached is set
  Forecaster(const FittedWork& work, const FittedWork* warm, const World& world, Replays& today);

  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] std::size_t probed_workers() const { return work_.most_workers; }
  [[nodiscard]] bool training_is_known() const {
    return work_.model.training_is_known && !work_.is_loader_alone();
  }

  /// REQUIRES: a cell of the work, measured or pending
  [[nodiscard]] Forecast forecast(const CellResult& cell);

  /// Changes the number of workers of `base`, which has a cell, to one that no cell has.
  [[nodiscard]] Forecast with_workers(const Forecast& base, std::size_t workers);

  /// Sets the limits of a forecast; five times as slow as forecast().
  void limit(Forecast& forecast);

  /// enough_cores(); empty if the work has no cell with workers.
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
  std::vector<std::pair<LoopSettings, double>> trainers_;  // Mock loaders, with rates.
};

}  // namespace feedrate
