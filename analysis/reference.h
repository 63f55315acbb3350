// SPDX-License-Identifier: Apache-2.0
// The reference values of settings: those that a user has before changing anything. Pure functions
// of a result; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// PyTorch's default of an argument of DataLoader(…) or .to(…) if a cell has it; else the value of
/// the first cell. Empty if the setting has no meaning in any cell.
[[nodiscard]] std::string reference_value(std::span<const CellResult* const> cells,
                                          const std::string& setting);

/// Whether `cell` has the reference values, among `cells`, of these settings. A setting without a
/// meaning in `cell` counts as at its reference value.
[[nodiscard]] bool is_at_reference(const CellResult& cell, std::span<const CellResult* const> cells,
                                   std::span<const std::string> settings);

}  // namespace feedrate
