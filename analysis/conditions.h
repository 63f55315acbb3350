// SPDX-License-Identifier: Apache-2.0
// Settings that a user chooses, and those that a measurement is made under. Any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Whether the setting is no choice: the device, the step, the state of the page cache, the data
/// and their order, what disturbs, and whose loader it is. A proposal never crosses one.
[[nodiscard]] bool is_condition(std::string_view setting);

/// Whether another value trains on other samples or batches, as drop_last and batch_size do.
[[nodiscard]] bool changes_training(std::string_view setting);

/// Whether another value means that the dataset is written once more, as format does.
[[nodiscard]] bool needs_conversion(std::string_view setting);

/// The same of a change from one cell's settings to another's.
[[nodiscard]] bool converts_dataset(const Settings& from, const Settings& to);

/// The conditions that tell these cells apart, in the plan's order. drop_last is one where it
/// leaves samples out.
[[nodiscard]] std::vector<std::string> varying_conditions(
    const std::vector<const CellResult*>& cells);

}  // namespace feedrate
