// SPDX-License-Identifier: Apache-2.0
// Groups of cells of a recorded run that make the same batches, each with a fitted model, and their
// conditions. The run must outlive them. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/tuner/fit.h"
#include "core/result.h"

namespace feedrate {

struct FittedWork {
  /// Ok cells with a rate, no limits; at least one. In a run with mock trainers only: these.
  std::vector<const CellResult*> cells;
  std::vector<const CellResult*> measured;  ///< these and the mocks; the model is fitted to them
  std::vector<const CellResult*> pending;
  FittedModel model;
  /// The most workers of the mock trainer's cells, which show how making batches scales; of all
  /// cells without such. More workers are an extrapolation.
  std::size_t most_workers = 0;

  [[nodiscard]] const Settings& settings() const { return cells.front()->settings; }
  /// All cells have the mock trainer, so the training is unknown.
  [[nodiscard]] bool is_loader_alone() const;
};

/// `cores`: of the recorded machine. REQUIRES: cores > 0
[[nodiscard]] std::vector<FittedWork> fit_works(const RunResult& run, double cores);

[[nodiscard]] Settings warmed(Settings settings);

/// The work that makes the same batches as `cold` from a warm cache; null if there is none.
[[nodiscard]] const FittedWork* find_warm(std::span<const FittedWork> works,
                                          const FittedWork& cold);

/// Works under the same conditions (analysis/conditions.h): only settings of the loader and of the
/// copy differ within it.
struct SituatedWorks {
  std::string name;  ///< its conditions that vary; may be empty
  std::vector<const FittedWork*> works;
};

/// The works must outlive what it returns.
[[nodiscard]] std::vector<SituatedWorks> situate(std::span<const FittedWork> works);

}  // namespace feedrate
