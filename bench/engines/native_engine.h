// SPDX-License-Identifier: Apache-2.0
// The engine that loads with feedrate's own readers, decoders and loaders.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bench/engines/engine.h"
#include "bench/engines/instruments.h"
#include "bench/engines/ranked/step_barrier.h"
#include "bench/engines/run_profile.h"
#include "bench/plan/config.h"
#include "formats/datasets/sweep_dataset.h"

namespace feedrate {

struct NativeEngineOptions {
  /// The dataset in each format that the cells name, by catalog_name().
  std::map<std::string, SweepDataset> datasets;
  PipelineSpec pipeline;
  MeasureConfig measure;
  /// Called for each damaged record, on the thread of run(); if empty, a damaged record fails its
  /// cell.
  std::function<void(const std::string&)> on_damaged;
  /// Cost profiles by the names that cells give in `emulate`.
  std::map<std::string, LoaderCosts> costs;
  OnProfile on_profile = {};  ///< may be empty
  Instruments instruments = {};
  /// Called with warnings of the observers, on the thread of run(); a warning may repeat.
  std::function<void(const std::string&)> on_warning = {};
  /// Returns the barrier that ties a start to those of the other ranks; empty with one rank.
  std::function<StepBarrier*()> barrier = {};
};

/// Keeps devices open from cell to cell until release(), and the dataset of the last one. `clock`
/// outlives it.
[[nodiscard]] std::unique_ptr<CellEngine> make_native_engine(NativeEngineOptions options,
                                                             Clock& clock);

}  // namespace feedrate
