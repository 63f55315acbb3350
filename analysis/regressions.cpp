// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "analysis/compare.h"
#include "core/multiple_tests.h"

namespace feedrate {
namespace {

bool is_lost_beyond(const AgainstBaseline& against, const ComparisonRule& rule) {
  return against.verdict == Verdict::kLose && against.ratio < 1.0 - rule.threshold;
}

bool is_tested(const AgainstBaseline& against) {
  return against.p_slower && against.disturbed.empty();
}

}  // namespace

void mark_regressions(std::span<ComparedCell> cells, const ComparisonRule& rule) {
  std::vector<AgainstBaseline*> tested;
  std::vector<double> p_values;
  for (ComparedCell& cell : cells) {
    for (std::optional<AgainstBaseline>& against : cell.against) {
      if (!against) continue;
      against->is_regression = false;
      if (!is_tested(*against)) continue;
      tested.push_back(&*against);
      p_values.push_back(*against->p_slower);
    }
  }
  const std::vector<bool> slower =
      reject_by_false_discovery_rate(p_values, (1.0 - rule.confidence) / 2.0);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->is_regression = slower[i] && is_lost_beyond(*tested[i], rule);
  }
}

}  // namespace feedrate
