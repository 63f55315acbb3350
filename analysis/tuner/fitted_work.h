// SPDX-License-Identifier: Apache-2.0
// Cells of a recorded run that make the same batches, with the model fitted to them. The run must
// outlive it. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/tuner/fit.h"
#include "core/result.h"

namespace feedrate {

struct FittedWork {
  /// At least one; ok, with a rate, no mocks. In a run of mock trainers only: these.
  std::vector<const CellResult*> cells;
  std::vector<const CellResult*> measured;  ///< these and the mocks: what the model is fitted to
  std::vector<const CellResult*> pending;   ///< not measured, as most cells of a tune
  FittedModel model;
  /// Of the mock trainer's cells of `measured`, which show how far making batches scales; of all of
  /// them where there are none. More workers are an extrapolation.
  std::size_t most_workers = 0;

  [[nodiscard]] const Settings& settings() const { return cells.front()->settings; }
  /// All cells have the mock trainer: nothing is known of a training.
  [[nodiscard]] bool is_loader_alone() const;
};

/// REQUIRES: cores > 0, those of the machine that the run was recorded on
[[nodiscard]] std::vector<FittedWork> fit_works(const RunResult& run, double cores);

/// The same settings with the data in the page cache.
[[nodiscard]] Settings warmed(Settings settings);

/// Of a work with a cold cache the one that makes the same batches from a warm one; null where
/// there is none.
[[nodiscard]] const FittedWork* find_warm(std::span<const FittedWork> works,
                                          const FittedWork& cold);

}  // namespace feedrate
