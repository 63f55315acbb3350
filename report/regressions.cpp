#include "report/regressions.h"

#include <vector>

#include "core/multiple_tests.h"

namespace feedrate {
namespace {

bool is_beyond(const AgainstBaseline& against, const ComparisonRule& rule) {
  return against.ratio < 1.0 - rule.threshold;
}

}  // namespace

void mark_regressions(std::span<ComparedCell> cells, const ComparisonRule& rule) {
  std::vector<AgainstBaseline*> tested;
  std::vector<double> p_values;
  for (ComparedCell& cell : cells) {
    for (std::optional<AgainstBaseline>& against : cell.against) {
      if (!against) continue;
      against->is_regression = is_beyond(*against, rule) && !against->p_slower;
      if (!against->p_slower) continue;
      tested.push_back(&*against);
      p_values.push_back(*against->p_slower);
    }
  }
  const std::vector<bool> slower =
      reject_by_false_discovery_rate(p_values, (1.0 - rule.confidence) / 2.0);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->is_regression = slower[i] && is_beyond(*tested[i], rule);
  }
}

}  // namespace feedrate
