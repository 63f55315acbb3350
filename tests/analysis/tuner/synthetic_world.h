// SPDX-License-Identifier: Apache-2.0
// A synthetic machine that follows the replay, with noise from start to start, so that the result
// of a tune can be compared with the truth.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "analysis/tuner/replay.h"
#include "core/random.h"
#include "core/result.h"

namespace feedrate::testing {

/// num_workers × prefetch_factor × pin_memory, with batch_size 32; without workers there is no
/// prefetch_factor, as in a plan.
[[nodiscard]] std::vector<Settings> small_grid(std::vector<std::int64_t> workers);

[[nodiscard]] Settings settings_with(std::int64_t num_workers, std::int64_t prefetch_factor,
                                     bool pin_memory);

[[nodiscard]] std::vector<Candidate> candidates_of(const std::vector<Settings>& grid);

/// Canonicalizes like a plan: the mock loader has no format and no workers.
void canonicalize(Settings& settings);

/// Replaces "loader" or "trainer" by a mock.
[[nodiscard]] Settings with_mock(Settings settings, const char* part, const char* mock);

/// Costs of milliseconds; `compute` seconds on the device.
[[nodiscard]] BatchCosts some_costs(double compute);

/// A pending cell.
[[nodiscard]] CellResult cell_with(const Settings& settings);

class SyntheticWorld {
 public:
  /// `deviation`: of the logarithm of a start's rate. `bias`: of the model's error, drawn once per
  /// cell without a mock.
  SyntheticWorld(BatchCosts costs, Cores cores, double deviation, double bias, std::uint64_t seed);

  /// Marks all further starts as disturbed by other programs.
  void disturb() { is_disturbed_ = true; }
  [[nodiscard]] double true_rate(const Settings& settings) const;
  /// Adds a start to `cell`.
  void measure(CellResult& cell);

 private:
  [[nodiscard]] ReplayedEpoch replayed(const Settings& settings) const;
  [[nodiscard]] double true_step_time(const Settings& settings) const;
  [[nodiscard]] double bias_of(const Settings& settings) const;

  BatchCosts costs_;
  Cores cores_;
  double deviation_;
  double bias_;
  std::uint64_t seed_;
  RandomStream random_;
  bool is_disturbed_ = false;
};

}  // namespace feedrate::testing
