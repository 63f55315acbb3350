// SPDX-License-Identifier: Apache-2.0
// What `feedrate what-if --nodes` says, in words. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/tuner/scaling.h"

namespace feedrate {

struct ScalingFindings {
  const RunResult& run;
  std::string source;  ///< what the user named
  double cores;        ///< of one rank
  const ScalingQuestion& question;
  const std::vector<ScalingAnswer>& answers;
  std::size_t width = 0;  ///< of the terminal; 0: any
};

/// "8 ranks a node on up to 64 nodes, a storage of 100 GB/s, …"
[[nodiscard]] std::string question_text(const Cluster& cluster);

/// Where it saturates, and on what.
[[nodiscard]] std::string saturation_sentence(const ScalingAnswer& answer, const Cluster& cluster);

/// How the recommendation changes at the most nodes: one for each layout that gains, or why none
/// does.
[[nodiscard]] std::vector<std::string> layout_sentences(const ScalingAnswer& answer,
                                                        const Cluster& cluster);

/// "metadata operations"
[[nodiscard]] std::string limit_text(const ScaleBound& bound, const StepLimit& own);

void print_scaling(std::ostream& out, const ScalingFindings& findings);

}  // namespace feedrate
