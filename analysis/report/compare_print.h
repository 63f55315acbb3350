// SPDX-License-Identifier: Apache-2.0
// Writes a comparison as text, CSV and JSON. Any thread.
#pragma once
#include <cstddef>
#include <iosfwd>

#include "analysis/compare.h"
#include "core/text_table.h"

namespace feedrate {

/// Prints the cells, with a column per run, and all remarks. With two runs, columns that do not fit
/// `width` are left out; 0: unlimited.
void print_comparison(std::ostream& out, const Comparison& comparison,
                      TableStyle style = TableStyle::kTerminal, std::size_t width = 0);

/// One line per cell and run: settings, baseline, run (their names), baseline_samples_per_second,
/// samples_per_second, ratio, ratio_low, ratio_high, verdict, regression, loading_time_ratio,
/// p_slower, limit, disturbed. Missing values are empty.
void write_comparison_csv(std::ostream& out, const Comparison& comparison);

/// Writes everything; keys are the members' names.
void write_comparison_json(std::ostream& out, const Comparison& comparison);

}  // namespace feedrate
