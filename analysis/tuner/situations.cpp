// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/situations.h"

#include <algorithm>

#include "analysis/cell_text.h"
#include "analysis/conditions.h"

namespace feedrate {
namespace {

// An empty value counts, such as no `emulate`. A work may include both values of drop_last.
std::vector<std::string> differing_conditions(std::span<const FittedWork> works) {
  std::vector<std::string> names;
  if (works.empty()) return names;
  for (const Setting& setting : works.front().settings()) {
    const bool is_telling = std::any_of(works.begin(), works.end(), [&](const FittedWork& work) {
      return text_of(work.settings(), setting.name) != to_string(setting.value);
    });
    const bool is_given = is_condition(setting.name) && setting.name != "drop_last";
    if (is_given && is_telling) names.push_back(setting.name);
  }
  return names;
}

std::string situation_of(const FittedWork& work, const std::vector<std::string>& conditions) {
  std::string words;
  for (const std::string& name : conditions) words += text_of(work.settings(), name) + '\n';
  return words;
}

}  // namespace

std::vector<SituatedWorks> situate(std::span<const FittedWork> works) {
  const std::vector<std::string> telling = differing_conditions(works);
  std::vector<SituatedWorks> situations;
  std::vector<std::string> known;
  for (const FittedWork& work : works) {
    const std::string words = situation_of(work, telling);
    const auto found = std::find(known.begin(), known.end(), words);
    if (found != known.end()) {
      situations[static_cast<std::size_t>(found - known.begin())].works.push_back(&work);
      continue;
    }
    known.push_back(words);
    situations.push_back({describe(*work.cells.front(), telling), {&work}});
  }
  return situations;
}

}  // namespace feedrate
