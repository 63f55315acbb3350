// SPDX-License-Identifier: Apache-2.0
// report.html: one self-contained page for one or several runs. Its data are JSON: the runs with
// every figure, the raw timings, and all texts that the terminal prints about them, so that the two
// always agree. Any thread.
#pragma once
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace feedrate {

struct PageRun {
  std::string title;  ///< the path it was read from
  RunResult run;
  std::map<std::size_t, std::string> profiles;  ///< Execution Summaries by the cell's index
};

/// The first run is the baseline.
[[nodiscard]] std::string page_data(std::span<const PageRun> runs);

/// Makes JSON safe for a <script> element: characters that HTML or JavaScript could interpret
/// become escapes, which JSON reads back unchanged.
[[nodiscard]] std::string script_safe(std::string_view json);

/// The first run is the baseline. REQUIRES: at least one run
void write_html(std::ostream& out, std::span<const PageRun> runs);

}  // namespace feedrate
