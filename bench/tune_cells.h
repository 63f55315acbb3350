// SPDX-License-Identifier: Apache-2.0
// The cells of a tune: candidates, the present settings, and probes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "bench/plan/memory_guard.h"
#include "bench/plan/plan.h"

namespace feedrate {

struct TuneCells {
  /// The plan; then the present settings unless the plan has them; then, if PyTorch's DataLoader
  /// verifies, the same cells with it; then the probes that are not candidates.
  std::vector<Cell> cells;
  std::vector<Candidate> candidates;
  std::vector<Settings> probes;
  /// The candidates with PyTorch's DataLoader, in the same order; empty unless it verifies.
  std::vector<Candidate> finalists;
  std::optional<std::size_t> present;  ///< index in `candidates`; nothing if it does not fit
};

struct TuneLimits {
  std::vector<Setting> present;        ///< from parse_present()
  std::optional<double> max_host_mem;  ///< bytes; cells that need more are skipped
  std::size_t usable_cpus = 1;
  bool verifies = false;  ///< PyTorch's DataLoader verifies (bench/tune_loader.h)
};

/// Limits the steps of a start, unless `keeps_steps`, so that the budget suffices for about seven
/// probes and as many further starts. Throws ConfigError for batches that no model predicts.
void fit_to_tune(SweepConfig& config, double budget_seconds, bool keeps_steps);

/// Appends the present settings to the plan unless it has them. If PyTorch's DataLoader verifies,
/// appends a cell with it for each; impossible or duplicate ones are skipped. Throws ConfigError if
/// the present settings cannot be measured, if the plan has only mocks, or if its conditions differ
/// (analysis/conditions.h).
[[nodiscard]] std::vector<Cell> with_present(const SweepConfig& config, std::vector<Cell> plan,
                                             const TuneLimits& limits);

/// `plan` is from with_present(). Moves its mocks to the probes; skips cells that need more memory
/// than available or than max_host_mem. Throws ConfigError if nothing fits.
[[nodiscard]] TuneCells make_tune_cells(const SweepConfig& config, std::vector<Cell> plan,
                                        const TuneLimits& limits, const MemoryGuard& guard);

}  // namespace feedrate
