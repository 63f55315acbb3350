// SPDX-License-Identifier: Apache-2.0
// report.html without its data, assembled by the build from analysis/report/page/. Any thread.
#pragma once
#include <span>
#include <string_view>

namespace feedrate {

struct PagePart {
  std::string_view path;
  std::string_view text;
};

/// The page is the concatenation of all texts; "@DATA@" marks the position of the data.
[[nodiscard]] std::span<const PagePart> page_template();

}  // namespace feedrate
