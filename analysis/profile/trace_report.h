// SPDX-License-Identifier: Apache-2.0
// The report of `feedrate trace` on one file: as text, as JSON, and as a sweep. Any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/profile/kernel_table.h"
#include "analysis/profile/loader_stalls.h"
#include "analysis/profile/operator_table.h"
#include "analysis/profile/summary.h"
#include "analysis/profile/trace_reader.h"

namespace feedrate {

struct TraceReport {
  std::string name;  ///< of the file
  TraceFile file;
  ProfileSummary summary;
  LoaderStalls loader;
  KernelTable kernels;
  std::vector<OperatorRow> operators;
};

[[nodiscard]] TraceReport make_trace_report(std::string name, TraceFile file);

void print_trace_report(std::ostream& out, const TraceReport& report);

/// Times are in seconds, sizes in bytes, shares 0 to 1; unknown values are null.
[[nodiscard]] std::string to_json(const TraceReport& report);

/// Makes a sweep over num_workers whose trainer replays the steps' times without their waits for
/// the loader. Throws ConfigError if the trace marks no step.
[[nodiscard]] std::string to_sweep_yaml(const TraceReport& report);

}  // namespace feedrate
