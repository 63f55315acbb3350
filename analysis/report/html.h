// SPDX-License-Identifier: Apache-2.0
// report.html: one self-contained page for one or several runs. Any thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "analysis/report/page_data.h"

namespace feedrate {

/// Makes JSON safe for a <script> element: characters that HTML or JavaScript could interpret
/// become \uXXXX, which JSON reads back unchanged.
[[nodiscard]] std::string script_safe(std::string_view json);

/// The first run is the baseline. REQUIRES: at least one run
void write_html(std::ostream& out, std::span<const PageRun> runs);

}  // namespace feedrate
