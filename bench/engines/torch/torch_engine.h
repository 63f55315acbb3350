// SPDX-License-Identifier: Apache-2.0
// The engine that loads with the real torch.utils.data.DataLoader in a child Python. It uses the
// protocol, the trainer and the metrics of the native engine. See docs/torch-engine.md.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bench/engines/engine.h"
#include "bench/engines/instruments.h"
#include "bench/engines/run_profile.h"
#include "bench/engines/torch/runtime.h"
#include "bench/plan/config.h"
#include "bench/plan/plan.h"
#include "formats/datasets/sweep_dataset.h"

namespace feedrate {

struct TorchEngineOptions {
  /// The dataset in each format that the cells name, by catalog_name(); empty with an own dataset.
  std::map<std::string, SweepDataset> datasets;
  DatasetConfig dataset;
  PipelineSpec pipeline;
  MeasureConfig measure;
  /// Called for each warning of Python, on the thread of run(); a warning may repeat.
  std::function<void(const std::string&)> on_python_warning;
  OnProfile on_profile = {};  ///< may be empty
  /// Called with warnings of the observers, on the thread of run(); a warning may repeat.
  std::function<void(const std::string&)> on_warning = {};
  Instruments instruments = {};  ///< its tracer is not used, since it records only this process
};

/// Makes an engine that starts a child for each run and ends it. `clock` outlives the engine.
[[nodiscard]] std::unique_ptr<CellEngine> make_torch_engine(TorchEngineOptions options,
                                                            TorchRuntime runtime, Clock& clock);

/// Returns what the cells of a plan need in Python; nothing if no cell is for this engine.
[[nodiscard]] std::optional<TorchNeeds> torch_needs(const SweepConfig& config,
                                                    const std::vector<Cell>& plan);

/// Skips the cells of this engine that need a missing module; the skip reason names the fix. Throws
/// ConfigError if only reference cells remain.
void skip_what_is_missing(std::vector<Cell>& plan, const SweepConfig& config,
                          const TorchRuntime& runtime);

}  // namespace feedrate
