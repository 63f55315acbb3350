// SPDX-License-Identifier: Apache-2.0
// The text of `feedrate what-if --nodes`. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/tuner/scaling.h"

namespace feedrate {

struct ScalingFindings {
  const RunResult& run;
  std::string source;  ///< as the user named it
  double cores;        ///< of one rank
  const ScalingQuestion& question;
  const std::vector<ScalingAnswer>& answers;
  std::size_t width = 0;  ///< of the terminal; 0: unlimited
};

/// "8 ranks a node on up to 64 nodes, a shared storage of 100 GB/s, …"
[[nodiscard]] std::string question_text(const Cluster& cluster);

/// States the number of nodes that saturates the storage, and by which limit.
[[nodiscard]] std::string saturation_sentence(const ScalingAnswer& answer, const Cluster& cluster);

/// How the recommendation changes at the most nodes: a sentence per layout that gains, or that none
/// does.
[[nodiscard]] std::vector<std::string> layout_sentences(const ScalingAnswer& answer,
                                                        const Cluster& cluster);

/// "metadata operations"
[[nodiscard]] std::string limit_text(const ScaleBound& bound, const StepLimit& own);

void print_scaling(std::ostream& out, const ScalingFindings& findings);

}  // namespace feedrate
