// SPDX-License-Identifier: Apache-2.0
// Which cells may be chosen, and what choosing them costs. Pure functions of a result, which must
// outlive what they return; any thread.
//
// Cells that measure a limit are not settings to choose: those with a mock trainer (`trainer` is
// "discard") or a mock loader (`loader` is "cached"). They are left out, unless the run measured
// nothing else.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Whether a mock set its rate.
[[nodiscard]] bool is_limit(const CellResult& cell);
[[nodiscard]] bool has_only_limits(const RunResult& run);

/// What the plan had to choose from, in its order, measured or not: all cells but the limits; all
/// of them where there are limits only.
[[nodiscard]] std::vector<const CellResult*> choosable_cells(const RunResult& run);

/// Those of them that are ok and have a rate above 0.
[[nodiscard]] std::vector<const CellResult*> measured_cells(const RunResult& run);

/// What settings ask for, in the order in which less of it is preferred.
struct SettingsCost {
  std::int64_t workers;
  std::int64_t prefetched;  ///< batches kept ahead on the device
  bool side_stream;
  double memory;     ///< bytes on the host
  bool starts_anew;  ///< workers, in each epoch

  friend auto operator<=>(const SettingsCost&, const SettingsCost&) = default;
};

[[nodiscard]] SettingsCost cost_of(const Settings& settings, double memory);

/// A lower cost_of its settings; else earlier in the plan.
[[nodiscard]] bool is_cheaper(const CellResult& a, const CellResult& b);

/// Ok cells with a rate, highest samples_per_second first; limits are among them.
[[nodiscard]] std::vector<const CellResult*> fastest_first(const RunResult& run);

/// "12,345 ± 3 %": the rate and half its interval, relative.
[[nodiscard]] std::string rate_text(const CellResult& cell);

}  // namespace feedrate
