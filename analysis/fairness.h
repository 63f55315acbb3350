// SPDX-License-Identifier: Apache-2.0
// Differences between the environments of two results that make a comparison unfair. Pure
// functions; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/match.h"
#include "core/result.h"

namespace feedrate {

/// Facts of the machine and the program that differ, without those that change from minute to
/// minute (free memory, free space). Empty if a result has no facts, as a CSV.
[[nodiscard]] std::vector<Difference> environment_differences(const Environment& a,
                                                              const Environment& b);

struct TwoRuns {
  const RunResult& a;
  const RunResult& b;
  std::string label_a;
  std::string label_b;
};

/// One sentence per reason: different devices, machines, CPUs, storage, data, builds or cache
/// states; warnings of one run alone; cells without an interval; a run that was interrupted or has
/// no record of its machine. `pairs` are the cells compared.
[[nodiscard]] std::vector<std::string> cautions(const TwoRuns& runs,
                                                std::span<const CellPair> pairs);

}  // namespace feedrate
