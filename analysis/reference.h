// SPDX-License-Identifier: Apache-2.0
// The values of settings that others are compared with: what a user has before changing anything.
// Pure functions of a result; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// PyTorch's default of an argument of DataLoader(…) or .to(…) where a cell has it; else the value
/// of the first cell, which is the first one in the file. Empty where the setting has no meaning
/// in any cell.
[[nodiscard]] std::string reference_value(std::span<const CellResult* const> cells,
                                          const std::string& setting);

/// Whether a cell has the reference value of each of these settings, among `cells`. A setting
/// without a meaning in `cell` is at its reference value.
[[nodiscard]] bool is_at_reference(const CellResult& cell, std::span<const CellResult* const> cells,
                                   std::span<const std::string> settings);

}  // namespace feedrate
