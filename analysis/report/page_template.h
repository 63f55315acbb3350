// SPDX-License-Identifier: Apache-2.0
// report.html without its data, as the build put it together from analysis/report/page/. Any
// thread.
#pragma once
#include <span>
#include <string_view>

namespace feedrate {

struct PagePart {
  std::string_view path;
  std::string_view text;
};

/// The page is all texts one after the other; "@DATA@" stands where the data belongs.
[[nodiscard]] std::span<const PagePart> page_template();

}  // namespace feedrate
