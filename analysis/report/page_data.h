// SPDX-License-Identifier: Apache-2.0
// The data of report.html as JSON: the runs with every figure, the raw timings, and all texts that
// the terminal prints about them, so that the two always agree. Any thread.
#pragma once
#include <map>
#include <span>
#include <string>

#include "core/result.h"

namespace feedrate {

struct PageRun {
  std::string title;  ///< the path it was read from
  RunResult run;
  std::map<std::size_t, std::string> profiles;  ///< Execution Summaries by the cell's index
};

/// The first run is the baseline.
[[nodiscard]] std::string page_data(std::span<const PageRun> runs);

}  // namespace feedrate
