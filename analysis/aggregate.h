// SPDX-License-Identifier: Apache-2.0
// Repeats become a cell's figures. The definitions are those of docs/columns.md. Pure functions.
#pragma once
#include <vector>

#include "core/result.h"

namespace feedrate {

/// The mean over the repeats of each metric; peaks (memory, _max) are the largest, counts (steps)
/// sums. Adds `repeats`, and with two repeats or more the 95 % interval of samples_per_second:
/// Student's t over loader starts, since steps within a start are not independent.
[[nodiscard]] std::vector<Metric> combine(const std::vector<Repeat>& repeats);

/// job_time, of the figures that it follows from; nothing where one of them is not there.
void add_job_time(Repeat& repeat);

/// au_verdict: whether the mean of au reaches `threshold`. Nothing where there is no au.
void add_au_verdict(std::vector<Metric>& metrics, double threshold);

}  // namespace feedrate
