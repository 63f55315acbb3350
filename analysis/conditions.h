// SPDX-License-Identifier: Apache-2.0
// Conditions of a measurement, as opposed to settings to choose. Any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Whether the setting is no choice: the device, the step, the cache state, the data and their
/// order, the disturbance, and the loader of a training. Cells are proposed for each value
/// separately.
[[nodiscard]] bool is_condition(std::string_view setting);

/// Whether another value trains on other samples or batches, as drop_last and batch_size do.
[[nodiscard]] bool changes_training(std::string_view setting);

/// Whether another value requires a conversion of the dataset, as format does.
[[nodiscard]] bool needs_conversion(std::string_view setting);

[[nodiscard]] bool converts_dataset(const Settings& from, const Settings& to);

/// The conditions that vary among these cells, in the plan's order. drop_last is one if it drops
/// samples.
[[nodiscard]] std::vector<std::string> varying_conditions(
    const std::vector<const CellResult*>& cells);

}  // namespace feedrate
