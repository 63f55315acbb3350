// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "analysis/cell_text.h"
#include "analysis/columns.h"
#include "analysis/report/table.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

bool is_less(const std::string& a, const std::string& b) {
  const std::optional<double> left = parse_number<double>(a), right = parse_number<double>(b);
  return left && right ? *left < *right : a < b;
}

}  // namespace

void sort_rows(const RunResult& run, std::vector<const CellResult*>& cells) {
  if (run.sort.empty()) return;
  const Column* const column = find_column(run.sort);
  const auto text = [&](const CellResult& cell) {
    return run.sort == "jobid" ? jobid_of(run, cell) : setting_text(cell, run.sort);
  };
  const bool is_descending =
      column != nullptr && (column->unit == Unit::kSamplesPerSecond || column->tag == "au");
  std::stable_sort(cells.begin(), cells.end(), [&](const CellResult* a, const CellResult* b) {
    if (column == nullptr) return is_less(text(*a), text(*b));
    const double* const left = find_metric(a->metrics, run.sort);
    const double* const right = find_metric(b->metrics, run.sort);
    if (left == nullptr || right == nullptr) return left != nullptr && right == nullptr;
    return is_descending ? *left > *right : *left < *right;
  });
}

}  // namespace feedrate
