// SPDX-License-Identifier: Apache-2.0
// A dataset that costs nothing but what it is told to: what is left is the loader's own.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "core/clock.h"
#include "loaders/dataset.h"

namespace feedrate {

/// feedrate/idle.py is the same in Python.
struct IdleDatasetSpec {
  std::size_t sample_bytes = 0;
  Nanos busy{};  ///< a sample keeps the processor busy for so long
};

/// Samples are copied from one place, as a framework's collate copies them. `clock` outlives it.
[[nodiscard]] std::unique_ptr<Dataset> make_idle_dataset(const IdleDatasetSpec& spec, Clock& clock);

/// The keyword arguments of feedrate.idle:make_dataset, JSON.
[[nodiscard]] std::string idle_dataset_arguments(const IdleDatasetSpec& spec);

}  // namespace feedrate
