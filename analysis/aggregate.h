// SPDX-License-Identifier: Apache-2.0
// Combines the figures of repeats into those of a cell, as docs/columns.md defines them. Pure
// functions.
#pragma once
#include <string_view>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Combines each metric by across_starts(). Adds `repeats`, and with two or more repeats the 95 %
/// interval of samples_per_second: Student's t over loader starts, since steps within a start are
/// not independent.
[[nodiscard]] std::vector<Metric> combine(const std::vector<Repeat>& repeats);

/// Adds job_time, unless a figure that it needs is missing.
void add_job_time(Repeat& repeat);

/// Adds au_verdict, 1 if au reaches `threshold`, unless au is missing.
void add_au_verdict(std::vector<Metric>& metrics, double threshold);

/// The mean; the maximum of peaks (memory, _max), the sum of counts (steps, bytes read), the most
/// frequent slowest_rank. REQUIRES: `values` is not empty
[[nodiscard]] double across_starts(std::string_view tag, const std::vector<double>& values);

}  // namespace feedrate
