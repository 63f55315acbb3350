// SPDX-License-Identifier: Apache-2.0
#include "analysis/decision.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/conditions.h"
#include "analysis/dataloader_arguments.h"
#include "analysis/decider.h"
#include "analysis/noise.h"
#include "analysis/reference.h"

namespace feedrate {
namespace {

using Cells = std::vector<const CellResult*>;

using Values = std::vector<std::string>;

Values values_of(const CellResult& cell, const std::vector<std::string>& names) {
  Values values;
  for (const std::string& name : names) values.push_back(setting_text(cell, name));
  return values;
}

std::map<Values, Cells> group_by(const Cells& cells, const std::vector<std::string>& names) {
  std::map<Values, Cells> groups;
  for (const CellResult* cell : cells) groups[values_of(*cell, names)].push_back(cell);
  return groups;
}

Cells take_pastable(Cells& cells) {
  const auto lacking = std::stable_partition(
      cells.begin(), cells.end(), [](const CellResult* cell) { return is_pastable(*cell); });
  if (lacking == cells.begin()) return std::exchange(cells, {});
  Cells pastable(cells.begin(), lacking);
  cells.erase(cells.begin(), lacking);
  return pastable;
}

// The candidates are the cells at the reference values, else the first group in the plan's order.
MeasuredCells by_training(Cells cells, const std::vector<std::string>& trainings) {
  MeasuredCells measured;
  Cells pastable = take_pastable(cells);
  measured.lacking = std::move(cells);
  std::vector<Cells> groups;
  for (auto& [values, members] : group_by(pastable, trainings))
    groups.push_back(std::move(members));
  std::sort(groups.begin(), groups.end(),
            [](const Cells& a, const Cells& b) { return a.front()->index < b.front()->index; });
  const auto own = std::find_if(groups.begin(), groups.end(), [&](const Cells& group) {
    return is_at_reference(*group.front(), pastable, trainings);
  });
  std::iter_swap(groups.begin(), own == groups.end() ? groups.begin() : own);
  measured.candidates = std::move(groups.front());
  groups.erase(groups.begin());
  measured.other_trainings = std::move(groups);
  return measured;
}

}  // namespace

double Proposal::most_against_fastest() const {
  double most = 1.0;
  for (const RankedCell& one : others) most = std::max(most, one.against_fastest);
  return most;
}

std::vector<Proposal> decide(const RunResult& run) {
  const Cells cells = measured_cells(run);
  std::vector<std::string> conditions = varying_conditions(cells), trainings;
  std::erase_if(conditions, [&](const std::string& name) {
    if (changes_training(name)) trainings.push_back(name);
    return changes_training(name);
  });
  std::vector<Proposal> answers;
  for (auto& [values, members] : group_by(cells, conditions)) {
    answers.push_back(decide(by_training(std::move(members), trainings), run.tolerance));
    answers.back().conditions = conditions;
  }
  std::sort(answers.begin(), answers.end(), [](const Proposal& a, const Proposal& b) {
    return a.fastest().index < b.fastest().index;
  });
  return answers;
}

Proposal decide_among(std::vector<const CellResult*> cells, double tolerance) {
  return decide({std::move(cells)}, tolerance);
}

std::vector<std::size_t> contenders(const RunResult& run) {
  std::vector<std::size_t> indices;
  for (const Proposal& answer : decide(run)) {
    if (answer.is_shown() || answer.is_out_of_reach) continue;
    for (const RankedCell& one : answer.cells) {
      if (one.least_loss <= run.tolerance) indices.push_back(one.cell->index);
    }
  }
  return indices;
}

}  // namespace feedrate
