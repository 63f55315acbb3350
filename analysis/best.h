// SPDX-License-Identifier: Apache-2.0
// The cells that may be chosen, and the cost of choosing them. Pure functions of a result, which
// must outlive what they return; any thread.
//
// A limit is a cell with a mock trainer (`trainer` is "discard") or a mock loader (`loader` is
// "cached" or "resident"). Limits cannot be chosen, unless the run measured nothing else.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

[[nodiscard]] bool is_limit(const CellResult& cell);
[[nodiscard]] bool has_only_limits(const RunResult& run);

/// All planned cells but the limits, measured or not, in the plan's order; the limits, if there is
/// nothing else.
[[nodiscard]] std::vector<const CellResult*> choosable_cells(const RunResult& run);

/// The choosable cells that are ok and have a rate above 0.
[[nodiscard]] std::vector<const CellResult*> measured_cells(const RunResult& run);

/// The cost of settings; members in the order in which a lower value is preferred.
struct SettingsCost {
  std::int64_t workers;
  std::int64_t prefetched;  ///< batches kept ahead on the device
  bool side_stream;
  double memory;     ///< bytes on the host
  bool starts_anew;  ///< starts workers in each epoch

  friend auto operator<=>(const SettingsCost&, const SettingsCost&) = default;
};

[[nodiscard]] SettingsCost cost_of(const Settings& settings, double memory);

/// Orders by cost_of(), then by the plan's order.
[[nodiscard]] bool is_cheaper(const CellResult& a, const CellResult& b);

/// Ok cells with a rate, highest samples_per_second first, limits included.
[[nodiscard]] std::vector<const CellResult*> fastest_first(const RunResult& run);

/// "12,345 ± 3 %": the rate and the relative half width of its interval.
[[nodiscard]] std::string rate_text(const CellResult& cell);

/// The cell that a tune recommends. May be pending: predicted, not measured. Null if nothing is
/// recommended, or the run has no such cell.
[[nodiscard]] const CellResult* recommended_cell(const RunResult& run);

}  // namespace feedrate
