// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "analysis/report/compare_print.h"
#include "analysis/report/csv_text.h"

namespace feedrate {
namespace {

std::string field(const std::optional<double>& value) {
  return value ? csv_number(*value) : std::string();
}

}  // namespace

void write_comparison_csv(std::ostream& out, const Comparison& comparison) {
  std::vector<std::string> header = comparison.varying;
  header.insert(header.end(),
                {"baseline", "run", "baseline_samples_per_second", "samples_per_second", "ratio",
                 "ratio_low", "ratio_high", "verdict", "regression", "loading_time_ratio",
                 "p_slower", "limit", "disturbed"});
  out << csv_line(header);
  for (const ComparedCell& cell : comparison.cells) {
    for (std::size_t i = 0; i < cell.against.size(); ++i) {
      const std::optional<AgainstBaseline>& against = cell.against[i];
      if (!against) continue;
      const bool has_interval = against->ratio_interval.has_value();
      std::vector<std::string> fields = cell.settings;
      fields.insert(
          fields.end(),
          {comparison.baseline_name, comparison.runs[i].name, field(cell.baseline_rate),
           field(against->rate), field(against->ratio),
           has_interval ? field(against->ratio_interval->low) : "",
           has_interval ? field(against->ratio_interval->high) : "", to_string(against->verdict),
           against->is_regression ? "true" : "false", field(against->loading_time_ratio),
           field(against->p_slower), cell.is_limit ? "true" : "false", against->disturbed});
      out << csv_line(fields);
    }
  }
}

}  // namespace feedrate
