// SPDX-License-Identifier: Apache-2.0
#include "analysis/compared_names.h"

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "core/contains.h"

namespace feedrate {
namespace {

std::vector<std::string> varying_in(const RunResult& run, bool with_limits) {
  return with_limits ? varying_settings(run) : varying_settings(choosable_cells(run));
}

std::vector<std::string> varying_among(std::span<const NamedRun> runs, const ComparisonRule& rule,
                                       bool with_limits) {
  const RunResult& baseline = *runs.front().result;
  std::vector<std::string> varying, common;
  for (const NamedRun& run : runs) {
    const std::vector<std::string> here = varying_in(*run.result, with_limits);
    varying.insert(varying.end(), here.begin(), here.end());
    if (&run == &runs.front()) continue;
    const std::vector<std::string> names = common_settings(baseline, *run.result);
    common.insert(common.end(), names.begin(), names.end());
  }
  std::vector<std::string> shown = setting_names(baseline);
  std::erase_if(shown, [&](const std::string& name) {
    return !contains(varying, name) || !contains(common, name) || contains(rule.ignored, name);
  });
  return shown;
}

}  // namespace

ComparedNames::ComparedNames(std::span<const NamedRun> runs, const ComparisonRule& rule)
    : varying_(varying_among(runs, rule, true)),
      varying_without_limits_(varying_among(runs, rule, false)),
      has_only_limits_(has_only_limits(*runs.front().result)) {}

std::string ComparedNames::name_of(const CellResult& cell) const {
  return name_cell(cell, is_separate_limit(cell) ? varying_ : varying_without_limits_);
}

bool ComparedNames::is_separate_limit(const CellResult& cell) const {
  return is_limit(cell) && !has_only_limits_;
}

}  // namespace feedrate
