// SPDX-License-Identifier: Apache-2.0
// Names and texts of the settings of cells. Pure functions of their arguments; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Empty if the cell lacks it.
[[nodiscard]] std::string setting_text(const CellResult& cell, const std::string& name);

/// "num_workers=2 format=lmdb", without settings that the cell lacks or has empty.
[[nodiscard]] std::string describe(const CellResult& cell, std::span<const std::string> names);

/// All settings, in the plan's order. Only the first cell is read: all cells of a run have the
/// same.
[[nodiscard]] std::vector<std::string> setting_names(const RunResult& run);

/// The settings that have different values in two cells where they have a meaning, in the plan's
/// order.
[[nodiscard]] std::vector<std::string> varying_settings(const RunResult& run);
[[nodiscard]] std::vector<std::string> varying_settings(std::span<const CellResult* const> cells);

[[nodiscard]] std::vector<std::string> constant_settings(const RunResult& run);
[[nodiscard]] std::vector<std::string> constant_settings(std::span<const CellResult* const> cells);

/// Whether the configuration file or the command line names it.
[[nodiscard]] bool is_set(const RunResult& run, const std::string& name);

/// The value of a constant setting; empty if it has no meaning in any cell.
[[nodiscard]] std::string constant_text(const RunResult& run, const std::string& name);
[[nodiscard]] std::string constant_text(std::span<const CellResult* const> cells,
                                        const std::string& name);

/// describe() with the settings that vary, or "cell 3" if none does.
[[nodiscard]] std::string name_cell(const CellResult& cell, std::span<const std::string> varying);

/// "simulated device: sim:a100-pcie4"; empty if nothing was simulated.
[[nodiscard]] std::string simulation_notice(const RunResult& run);

}  // namespace feedrate
