// SPDX-License-Identifier: Apache-2.0
// A machine that does exactly what the replay says, with noise from start to start: what a tune
// finds can be held against the truth.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "analysis/tuner/replay.h"
#include "core/random.h"
#include "core/result.h"

namespace feedrate::testing {

/// num_workers × prefetch_factor × pin_memory, with batch_size 32, as a plan has them: without
/// workers there is no prefetch_factor.
[[nodiscard]] std::vector<Settings> small_grid(std::vector<std::int64_t> workers);

[[nodiscard]] Settings settings_with(std::int64_t num_workers, std::int64_t prefetch_factor,
                                     bool pin_memory);

[[nodiscard]] std::vector<Candidate> candidates_of(const std::vector<Settings>& grid);

/// As a plan does: the mock loader has no format and no workers.
void canonicalize(Settings& settings);

/// With a mock in the place of "loader" or "trainer".
[[nodiscard]] Settings with_mock(Settings settings, const char* part, const char* mock);

/// Milliseconds each, `compute` seconds on the device.
[[nodiscard]] BatchCosts some_costs(double compute);

/// Not measured yet.
[[nodiscard]] CellResult cell_with(const Settings& settings);

class SyntheticWorld {
 public:
  /// `deviation`: of the logarithm of a start's rate. `bias`: of what the replay does not know, one
  /// draw a cell that has no mock: the same cell always has the same.
  SyntheticWorld(BatchCosts costs, Cores cores, double deviation, double bias, std::uint64_t seed);

  /// From now on other programs disturb every start, or so it is marked.
  void disturb() { is_disturbed_ = true; }
  /// Without noise.
  [[nodiscard]] double true_rate(const Settings& settings) const;
  /// One more start of this cell's loader, added to `cell`.
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
