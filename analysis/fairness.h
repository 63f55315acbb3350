// SPDX-License-Identifier: Apache-2.0
// What differs between the circumstances of two results, and why comparing them may be unfair. Pure
// functions; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/match.h"
#include "core/result.h"

namespace feedrate {

/// Facts of the machine and the program that differ, without those that change from minute to
/// minute (free memory, free space). Nothing where either has none, as a CSV.
[[nodiscard]] std::vector<Difference> environment_differences(const Environment& a,
                                                              const Environment& b);

/// The two results and what they are called.
struct TwoRuns {
  const RunResult& a;
  const RunResult& b;
  std::string label_a;
  std::string label_b;
};

/// A sentence for each reason: other devices, machines, CPUs, storage, data, builds; doubts of one
/// alone; another state of the page cache; cells without an interval; a run that was interrupted or
/// that has no record of its machine. `pairs` are the cells compared.
[[nodiscard]] std::vector<std::string> cautions(const TwoRuns& runs,
                                                std::span<const CellPair> pairs);

}  // namespace feedrate
