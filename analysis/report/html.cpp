// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <ostream>
#include <utility>

#include "analysis/report/page_data.h"
#include "analysis/report/page_template.h"

namespace feedrate {
namespace {

constexpr std::string_view kDataMarker = "@DATA@";

// The last two end a line in JavaScript, not in JSON.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes{
    {{"<", "\\u003c"},
     {">", "\\u003e"},
     {"&", "\\u0026"},
     {"\u2028", "\\u2028"},
     {"\u2029", "\\u2029"}}};

std::string joined_template() {
  std::string page;
  for (const PagePart& part : page_template()) page += part.text;
  return page;
}

}  // namespace

std::string script_safe(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  while (!json.empty()) {
    std::string_view taken = json.substr(0, 1);
    std::string_view written = taken;
    for (const auto& [from, to] : kEscapes) {
      if (!json.starts_with(from)) continue;
      taken = from;
      written = to;
    }
    safe += written;
    json.remove_prefix(taken.size());
  }
  return safe;
}

void write_html(std::ostream& out, std::span<const PageRun> runs) {
  const std::string page = joined_template();
  const std::size_t offset = page.find(kDataMarker);
  out << page.substr(0, offset) << script_safe(page_data(runs))
      << page.substr(offset + kDataMarker.size());
}

}  // namespace feedrate
