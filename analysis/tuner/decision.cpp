// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/decision.h"

#include <algorithm>

namespace feedrate {

void apply_lost_verdicts(Decision& decision, double asked) {
  for (const auto* rival : {&decision.runner_up, &decision.present}) {
    if (!*rival || (*rival)->recommended_to_it.verdict != Verdict::kLose) continue;
    decision.confidence = std::min(decision.confidence, 1.0 - asked);
    decision.loss = std::max(decision.loss, 1.0 - (*rival)->recommended_to_it.interval.low);
  }
}

}  // namespace feedrate
