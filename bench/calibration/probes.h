// Measures both engines at the places where PyTorch costs something, one after the other, so that
// what the machine does meanwhile meets both.
#pragma once
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "bench/calibration/fit.h"
#include "bench/calibration/idle_dataset.h"
#include "bench/engines/torch/runtime.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/config.h"

namespace feedrate {

struct ProbeOptions {
  std::size_t repeats = 3;
  std::uint64_t seed = 0;
  Nanos timeout = std::chrono::minutes(10);  ///< of one start of a loader
  /// Called before each start of a loader: "idle dataset, 1 worker", n of total.
  std::function<void(const std::string& what, std::size_t done, std::size_t total)> on_progress;
};

/// What the probe of the loader itself needs of Python.
[[nodiscard]] OwnDataset idle_dataset_in_python(const IdleDatasetSpec& spec);

/// Throws what the engines throw; Cancelled once a stop is requested.
[[nodiscard]] ProbeResults run_probes(const TorchRuntime& runtime, const ProbeOptions& options,
                                      Clock& clock, const std::stop_token& stop);

}  // namespace feedrate
