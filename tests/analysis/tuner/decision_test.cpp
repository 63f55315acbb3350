// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/decision.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

Decision sure_decision() {
  Decision decision;
  decision.confidence = 0.98;
  decision.loss = 0.02;
  return decision;
}

Rival rival_with(Verdict verdict) {
  Rival rival;
  rival.recommended_to_it.verdict = verdict;
  rival.recommended_to_it.interval = {0.90, 0.95};
  return rival;
}

TEST(ApplyLostVerdicts, lowers_a_confidence_that_a_verdict_contradicts) {
  for (auto rival : {&Decision::runner_up, &Decision::present}) {
    Decision decision = sure_decision();
    decision.*rival = rival_with(Verdict::kLose);
    apply_lost_verdicts(decision, 0.95);
    EXPECT_NEAR(decision.confidence, 0.05, 1e-12);
    EXPECT_NEAR(decision.loss, 0.10, 1e-12);
  }
}

TEST(ApplyLostVerdicts, keeps_a_confidence_that_no_verdict_contradicts) {
  Decision decision = sure_decision();
  decision.runner_up = rival_with(Verdict::kTie);
  apply_lost_verdicts(decision, 0.95);
  EXPECT_EQ(decision.confidence, 0.98);
  EXPECT_EQ(decision.loss, 0.02);
}

}  // namespace
}  // namespace feedrate
