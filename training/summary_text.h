// SPDX-License-Identifier: Apache-2.0
// Formats the statements of a summary. Pure; any thread.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "training/summary_checks.h"

namespace feedrate {

/// Parts of the verdict on a loader besides its waits.
struct VerdictWords {
  std::string cause;
  std::size_t cpus = 1;
  std::size_t workers = 0;
  bool is_before_tuning = false;  ///< the gain is more than what these waits allow
};

/// "INPUT-BOUND: the workers compute; at most 1.77x to win. 2 CPUs are usable; 8 workers."
[[nodiscard]] std::string wait_text(const WaitFacts& facts, const VerdictWords& words);

/// "num_workers=0 -> 4: 3.02x (2.90 to 3.15)".
[[nodiscard]] std::string gain_text(const TuningFacts& tuning, const TuningStatement& statement);

/// "37 % sure: within 2 % of the best of 13 settings; 4 tried, which cost 1.21 s, 5.1 % of 1,000
/// steps".
[[nodiscard]] std::string claim_text(const TuningFacts& tuning, const TuningStatement& statement);

/// "failed: num_workers=1, num_workers=2: a worker hung", a line for each reason: failed trials
/// first, then those that were not tried.
[[nodiscard]] std::vector<std::string> failure_lines(const TuningFacts& tuning);

}  // namespace feedrate
