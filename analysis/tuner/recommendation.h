// SPDX-License-Identifier: Apache-2.0
// What a tune says in the end, in words. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "analysis/tuner/decision.h"
#include "core/result.h"

namespace feedrate {

/// What the text is made of; all outlive it.
struct Findings {
  const Decision& decision;
  std::span<const Candidate> candidates;
  std::span<const RateOf> rates;  ///< one a candidate
  const RunResult& run;           ///< the plan's cells at their candidates' `cell`
  double confidence_asked = 0.95;
};

/// The settings that tell the candidates apart, in the plan's order.
[[nodiscard]] std::vector<std::string> varying_settings(std::span<const Candidate> candidates);

/// "95 % sure: within 2 % of the best of 42 settings considered, 5 of them measured; model error on
/// held-out cells 3.1 % (median of 4)." Where less was reached than asked for, it says so.
[[nodiscard]] std::string confidence_sentence(const Decision& decision, double asked);

/// For each setting of the recommended ones that takes several values, what the values beside it
/// give, all else being equal: "num_workers=3: 2 gives 8,120/s ± 3.0 % (-34 %, predicted)". None
/// where nothing varies.
[[nodiscard]] std::vector<std::string> reasons(const Findings& findings);

/// "num_workers=8 is the largest value of the sweep: more may win; try --axis num_workers=8,12,16",
/// for each count that is at its end though the trainer could take more.
[[nodiscard]] std::vector<std::string> edge_hints(const Findings& findings);

/// The lines to paste; empty where the rates are not PyTorch's, whose best settings are others.
[[nodiscard]] std::string code_of(const RunResult& run, const CellResult& cell);

/// The CPUs of a batch job: one a worker and one for the training process.
[[nodiscard]] std::size_t cpus_per_task(const Settings& settings);

/// All of it but the doubts: whose rates they are, the settings, what they reach, why each, what
/// they cost, against what was used before and the runner-up, how sure that is, and, of PyTorch's
/// DataLoader, the lines to paste.
void print_recommendation(std::ostream& out, const Findings& findings);

}  // namespace feedrate
