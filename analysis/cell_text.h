// SPDX-License-Identifier: Apache-2.0
// Settings of cells as the table, the best cell and the comparison name them. Pure functions of
// their arguments; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Empty where the cell has no setting `name`.
[[nodiscard]] std::string setting_text(const CellResult& cell, const std::string& name);

/// "num_workers=2 format=lmdb"; what the cell does not have, or has empty, is left out.
[[nodiscard]] std::string describe(const CellResult& cell, std::span<const std::string> names);

/// All settings in the plan's order. Every cell of a run has the same; the first one is asked.
[[nodiscard]] std::vector<std::string> setting_names(const RunResult& run);

/// Those that have different values in any two cells where they have a meaning, in the plan's
/// order.
[[nodiscard]] std::vector<std::string> varying_settings(const RunResult& run);
/// The same among some cells of a run.
[[nodiscard]] std::vector<std::string> varying_settings(std::span<const CellResult* const> cells);

/// Those that have one and the same value in all cells, in the plan's order.
[[nodiscard]] std::vector<std::string> constant_settings(const RunResult& run);
[[nodiscard]] std::vector<std::string> constant_settings(std::span<const CellResult* const> cells);

/// Whether the file or the command line of the run named it.
[[nodiscard]] bool is_set(const RunResult& run, const std::string& name);

/// The one value of a constant setting; empty where it has no meaning in any cell.
[[nodiscard]] std::string constant_text(const RunResult& run, const std::string& name);
[[nodiscard]] std::string constant_text(std::span<const CellResult* const> cells,
                                        const std::string& name);

/// `describe` by the settings that vary, or "cell 3" where none does.
[[nodiscard]] std::string name_cell(const CellResult& cell, std::span<const std::string> varying);

/// "simulated device: sim:a100-pcie4", or empty where nothing was simulated.
[[nodiscard]] std::string simulation_notice(const RunResult& run);

}  // namespace feedrate
