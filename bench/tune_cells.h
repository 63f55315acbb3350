// SPDX-License-Identifier: Apache-2.0
// The cells of a tune: what may be recommended, what is in use today, and the probes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "bench/plan/memory_guard.h"
#include "bench/plan/plan.h"

namespace feedrate {

struct TuneCells {
  /// The plan, then the present settings where the plan has no such cell, then the same with
  /// PyTorch's DataLoader where that verifies, then the probes that are no candidates.
  std::vector<Cell> cells;
  std::vector<Candidate> candidates;
  std::vector<Settings> probes;
  /// The candidates with PyTorch's DataLoader, in their order; empty where nothing is to be
  /// verified with it.
  std::vector<Candidate> finalists;
  std::optional<std::size_t> present;  ///< of the candidates; nothing where it does not fit
};

struct TuneLimits {
  std::vector<Setting> present;        ///< as parse_present() has them
  std::optional<double> max_host_mem;  ///< bytes; cells that need more are skipped
  std::size_t usable_cpus = 1;
  bool verifies = false;  ///< PyTorch's DataLoader verifies (cli/commands/tune_loader.h)
};

/// The plan with the present settings behind it, if it has them not already. Where PyTorch's
/// DataLoader verifies: with a cell of its for each; what it cannot do is skipped, and so is what
/// would be the same with it. Throws ConfigError where the present settings cannot be measured,
/// where the plan has mocks only, or where its conditions differ (analysis/conditions.h).
[[nodiscard]] std::vector<Cell> with_present(const SweepConfig& config, std::vector<Cell> plan,
                                             const TuneLimits& limits);

/// `plan` by with_present(). Mocks that it has are left to the probes; what needs more memory than
/// there is, or than max_host_mem, is skipped. Throws ConfigError where nothing fits.
[[nodiscard]] TuneCells make_tune_cells(const SweepConfig& config, std::vector<Cell> plan,
                                        const TuneLimits& limits, const MemoryGuard& guard);

}  // namespace feedrate
