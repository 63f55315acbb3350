// SPDX-License-Identifier: Apache-2.0
// The final text of a tune. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "analysis/tuner/decision.h"
#include "core/result.h"

namespace feedrate {

/// The contents of the text. All references must outlive it.
struct Findings {
  const Decision& decision;
  std::span<const Candidate> candidates;
  std::span<const RateOf> rates;  ///< one per candidate
  const RunResult& run;           ///< Candidate::cell indexes its cells
  double confidence_asked = 0.95;
};

/// Settings that vary, in the plan's order.
[[nodiscard]] std::vector<std::string> varying_settings(std::span<const Candidate> candidates);

/// "95 % sure: within 2 % of the best of 42 settings considered, 5 of them measured; model error on
/// held-out cells 3.1 % (median of 4)." States the shortfall if less than `asked` was reached.
[[nodiscard]] std::string confidence_sentence(const Decision& decision, double asked);

/// For each recommended setting that varies, the rates of its other values, all else being equal:
/// "num_workers=3: 2 gives 8,120/s ± 3.0 % (-34 %, predicted)".
[[nodiscard]] std::vector<std::string> reasons(const Findings& findings);

/// "num_workers=8 is the largest value of the sweep: more may win; try --axis num_workers=8,12,16",
/// for each count at its largest value while the trainer could take more.
[[nodiscard]] std::vector<std::string> edge_hints(const Findings& findings);

/// The lines to paste; empty if the rates are not PyTorch's, whose best settings differ.
[[nodiscard]] std::string code_of(const RunResult& run, const CellResult& cell);

/// The CPUs of a batch job: one per worker and one for the training process.
[[nodiscard]] std::size_t cpus_per_task(const Settings& settings);

/// Prints all but the warnings: the loader, the settings, their rate, the reasons, the costs, the
/// comparisons with the baseline and the runner-up, the confidence, and for PyTorch's DataLoader
/// the lines to paste.
void print_recommendation(std::ostream& out, const Findings& findings);

}  // namespace feedrate
