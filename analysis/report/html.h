// SPDX-License-Identifier: Apache-2.0
// report.html: one page that needs nothing but itself, for one or several runs. Any thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "analysis/report/page_data.h"

namespace feedrate {

/// JSON that a <script> element may hold whatever its texts are: what HTML or JavaScript could take
/// for an end or a beginning is written as \uXXXX, which JSON reads back as it was.
[[nodiscard]] std::string script_safe(std::string_view json);

/// The first run is what the others are compared with. REQUIRES: at least one run
void write_html(std::ostream& out, std::span<const PageRun> runs);

}  // namespace feedrate
