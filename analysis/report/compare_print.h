// SPDX-License-Identifier: Apache-2.0
// A comparison as people and programs read it. Any thread.
#pragma once
#include <cstddef>
#include <iosfwd>

#include "analysis/compare.h"
#include "core/text_table.h"

namespace feedrate {

/// The cells, one column a run, and all that is to be said about them; of two runs without the
/// columns that `width` has no room for, 0 is any.
void print_comparison(std::ostream& out, const Comparison& comparison,
                      TableStyle style = TableStyle::kTerminal, std::size_t width = 0);

/// One line a cell and run: settings, baseline, run (their names), baseline_samples_per_second,
/// samples_per_second, ratio, ratio_low, ratio_high, verdict, regression, loading_time_ratio.
/// Missing is empty.
void write_comparison_csv(std::ostream& out, const Comparison& comparison);

/// Everything; keys are the members' names.
void write_comparison_json(std::ostream& out, const Comparison& comparison);

}  // namespace feedrate
