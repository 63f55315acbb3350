// SPDX-License-Identifier: Apache-2.0
// Makes cells from axes.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/cell_settings.h"
#include "bench/plan/config.h"

namespace feedrate {

struct Cell {
  std::size_t index = 0;
  CellSettings settings;    ///< every knob
  std::string skip_reason;  ///< if not empty: the cell is listed and reported, never run
};

/// The ranks that a launcher started. `size` is 1 without a launcher: the sweep starts its ranks
/// itself.
struct LaunchedRanks {
  std::size_t size = 1;
  std::size_t per_node = 1;  ///< on the first node
  std::size_t cpus = 0;      ///< CPUs of the first node that its ranks may use together

  [[nodiscard]] bool is_launched() const noexcept { return size > 1; }
};

struct PlanOptions {
  std::vector<Axis> only = {};  ///< keep only cells with these values
  std::size_t usable_cpus = 1;  ///< CPUs of this process and the ranks that it starts
  LaunchedRanks launched = {};
};

/// The number of ranks of a cell on one node, at least 1.
[[nodiscard]] std::size_t ranks_on_a_node(const CellSettings& settings);

/// The cartesian product of the axes; the last axis varies fastest. A knob without effect in a cell
/// (prefetch_factor without workers) takes its neutral value there, and a cell that then equals an
/// earlier one is skipped, with the reason. Throws ConfigError if no cell is left to run.
[[nodiscard]] std::vector<Cell> make_plan(const SweepConfig& config, const PlanOptions& options);

/// The knobs with more than one value.
[[nodiscard]] std::vector<std::string> varying_axes(const SweepConfig& config);

/// Why a cell must not run, regardless of the others; empty if it may. REQUIRES: canonicalized
/// settings
[[nodiscard]] std::string skip_reason(const CellSettings& settings, const SweepConfig& config,
                                      const PlanOptions& options);

}  // namespace feedrate
