// SPDX-License-Identifier: Apache-2.0
// What report.html knows, as JSON: the runs with every figure and the raw timings, and all words
// that the terminal prints about them, so that the two never disagree. Any thread.
#pragma once
#include <map>
#include <span>
#include <string>

#include "core/result.h"

namespace feedrate {

struct PageRun {
  std::string title;  ///< what the page calls it: the path it was read from
  RunResult run;
  std::map<std::size_t, std::string> profiles;  ///< Execution Summaries by the cell's index
};

/// The first run is what the others are compared with.
[[nodiscard]] std::string page_data(std::span<const PageRun> runs);

}  // namespace feedrate
