// SPDX-License-Identifier: Apache-2.0
// Finds the advice in a timeline's summary.
#pragma once
#include <optional>
#include <vector>

#include "analysis/profile/summary.h"

namespace feedrate {

[[nodiscard]] inline std::optional<Advice> advice_on(AdviceRule rule, const Timeline& timeline,
                                                     const RunFacts& facts = {}) {
  for (const Advice& advice : summarize(timeline, facts).advice) {
    if (advice.rule == rule) return advice;
  }
  return std::nullopt;
}

[[nodiscard]] inline std::vector<AdviceRule> advised_rules(const Timeline& timeline,
                                                           const RunFacts& facts = {}) {
  std::vector<AdviceRule> rules;
  for (const Advice& advice : summarize(timeline, facts).advice) rules.push_back(advice.rule);
  return rules;
}

}  // namespace feedrate
