// SPDX-License-Identifier: Apache-2.0
// A dataset that costs only the given time, so that the rest is the loader's cost.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "core/clock.h"
#include "loaders/dataset.h"

namespace feedrate {

/// feedrate/idle.py is the same dataset in Python.
struct IdleDatasetSpec {
  std::size_t sample_bytes = 0;
  Nanos busy{};  ///< CPU time per sample
};

/// Copies all samples from the same memory, as a framework's collate does. `clock` must outlive the
/// dataset.
[[nodiscard]] std::unique_ptr<Dataset> make_idle_dataset(const IdleDatasetSpec& spec, Clock& clock);

/// The keyword arguments of feedrate.idle:make_dataset as JSON.
[[nodiscard]] std::string idle_dataset_arguments(const IdleDatasetSpec& spec);

}  // namespace feedrate
