// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/verdict_parts.h"

#include <algorithm>
#include <string_view>

namespace feedrate {
namespace {

constexpr std::string_view kOld = "  - ";
constexpr std::string_view kNew = "  + ";

bool names_a_bound(std::string_view line) {
  const std::size_t end = line.find(": ");
  return end != std::string_view::npos && end > 0 &&
         std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char c) { return c == '-' || (c >= 'A' && c <= 'Z'); });
}

bool is_tuned(std::string_view line) { return line.starts_with("tuned"); }

// Below the location of a call there are only signs and texts.
bool belongs_to_diff(std::string_view line, std::size_t column) {
  const std::string_view sign = line.substr(std::min(column, line.size()), kOld.size());
  return line.find_first_not_of(' ') == column + 2 && (sign == kOld || sign == kNew);
}

std::size_t answer_among(std::span<const std::string> lines) {
  for (const auto is_answer : {is_tuned, names_a_bound}) {
    const auto found = std::find_if(lines.begin(), lines.end(), is_answer);
    if (found != lines.end()) return static_cast<std::size_t>(found - lines.begin());
  }
  return 0;
}

}  // namespace

VerdictParts parts_of_verdict(std::span<const std::string> lines) {
  VerdictParts parts;
  if (lines.empty()) return parts;
  const std::size_t answer = answer_among(lines);
  parts.answer = lines[answer];
  std::size_t column = std::string::npos;  // Of the signs of the current diff.
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == answer) continue;
    const std::string& line = lines[i];
    if (column == std::string::npos || !belongs_to_diff(line, column)) column = line.find(kOld);
    if (column == std::string::npos) {
      parts.facts.push_back(line);
      continue;
    }
    parts.changes.push_back(line);
    if (line.compare(column, kNew.size(), kNew) == 0) {
      parts.code += line.substr(column + kNew.size()) + '\n';
    }
  }
  return parts;
}

}  // namespace feedrate
