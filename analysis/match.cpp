// SPDX-License-Identifier: Apache-2.0
#include "analysis/match.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "bench/plan/knobs.h"
#include "core/contains.h"

namespace feedrate {
namespace {

using CellIndex = std::map<std::string, std::vector<const CellResult*>>;

CellIndex index_cells(const RunResult& run, std::span<const std::string> names) {
  CellIndex index;
  for (const CellResult& cell : run.cells) index[describe(cell, names)].push_back(&cell);
  return index;
}

}  // namespace

MatchedCells match_cells(const RunResult& a, const RunResult& b,
                         std::span<const std::string> names) {
  const CellIndex in_a = index_cells(a, names);
  const CellIndex in_b = index_cells(b, names);
  MatchedCells matched;
  for (const CellResult& cell : a.cells) {
    const std::string key = describe(cell, names);
    const std::vector<const CellResult*>& same = in_a.at(key);
    if (same.front() != &cell) continue;
    const auto other = in_b.find(key);
    if (other == in_b.end()) {
      matched.unmatched_a.insert(matched.unmatched_a.end(), same.begin(), same.end());
    } else if (same.size() > 1 || other->second.size() > 1) {
      matched.ambiguous.push_back(&cell);
    } else {
      matched.pairs.push_back({&cell, other->second.front()});
    }
  }
  for (const CellResult& cell : b.cells) {
    if (in_a.count(describe(cell, names)) == 0) matched.unmatched_b.push_back(&cell);
  }
  return matched;
}

bool has_meaning(const RunResult& run, const std::string& name) {
  const Knob* const knob = known_knob(name);
  if (knob != nullptr && knob->empty_is_a_value) return true;
  return std::any_of(run.cells.begin(), run.cells.end(),
                     [&](const CellResult& cell) { return !setting_text(cell, name).empty(); });
}

std::vector<std::string> common_settings(const RunResult& a, const RunResult& b) {
  const std::vector<std::string> others = setting_names(b);
  std::vector<std::string> names = setting_names(a);
  std::erase_if(names, [&](const std::string& name) {
    return !contains(others, name) || has_meaning(a, name) != has_meaning(b, name);
  });
  return names;
}

std::vector<Difference> differing_constants(const RunResult& a, const RunResult& b) {
  const std::vector<std::string> constant_b = constant_settings(b);
  std::vector<Difference> differences;
  for (const std::string& name : constant_settings(a)) {
    if (!contains(constant_b, name)) continue;
    const std::string of_a = constant_text(a, name);
    const std::string of_b = constant_text(b, name);
    if (of_a != of_b) differences.push_back({name, of_a, of_b});
  }
  return differences;
}

std::string outcome_text(const CellResult& cell) {
  return cell.reason.empty() ? std::string(to_string(cell.outcome))
                             : fmt::format("{} ({})", to_string(cell.outcome), cell.reason);
}

}  // namespace feedrate
