// SPDX-License-Identifier: Apache-2.0
// The engine that loads with the real torch.utils.data.DataLoader, in a child Python: the same
// steps as protocol.cpp's, the same trainer, the same metrics. See docs/torch-engine.md.
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
  /// Called for each warning that Python gave, on the thread of run(); the same one may come again.
  std::function<void(const std::string&)> on_python_warning;
  OnProfile on_profile = {};  ///< may be empty
  /// Called with a reason to doubt the numbers, as on_python_warning is.
  std::function<void(const std::string&)> on_warning = {};
  Instruments instruments = {};  ///< of which a tracer is of no use: it sees this process
};

/// Starts a child for each run, and leaves none. `clock` outlives the engine.
[[nodiscard]] std::unique_ptr<CellEngine> make_torch_engine(TorchEngineOptions options,
                                                            TorchRuntime runtime, Clock& clock);

/// What the cells of a plan need of Python; nothing where none is for this engine.
[[nodiscard]] std::optional<TorchNeeds> torch_needs(const SweepConfig& config,
                                                    const std::vector<Cell>& plan);

/// Cells for this engine become skipped, with the cure, where the module of their format is
/// missing. Throws ConfigError if that leaves nothing but limits.
void skip_what_is_missing(std::vector<Cell>& plan, const SweepConfig& config,
                          const TorchRuntime& runtime);

}  // namespace feedrate
