// SPDX-License-Identifier: Apache-2.0
#include "core/did_you_mean.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace feedrate {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// Short words are the beginning or end of too many known ones.
bool is_part_of(std::string_view word, std::string_view known) {
  constexpr std::size_t kEnough = 4;
  return word.size() >= kEnough && (known.starts_with(word) || known.ends_with(word));
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const auto distance = [&](std::string_view one) {
    return std::pair(is_part_of(word, one) ? 0 : 1,
                     is_part_of(word, one) ? one.size() : edit_distance(word, one));
  };
  const auto best = std::min_element(known.begin(), known.end(),
                                     [&](auto a, auto b) { return distance(a) < distance(b); });
  if (best == known.end()) return {};
  const auto [is_other, changes] = distance(*best);
  if (is_other && changes > 2 + word.size() / 4) return {};
  return fmt::format("; did you mean {}?", *best);
}

std::string did_you_mean_or_list(std::string_view word,
                                 const std::vector<std::string_view>& known) {
  constexpr std::size_t kFew = 10;
  const std::string near = did_you_mean(word, known);
  if (near.empty()) return fmt::format("; must be one of {}", fmt::join(known, ", "));
  return known.size() > kFew ? near
                             : fmt::format("{} It is one of {}", near, fmt::join(known, ", "));
}

}  // namespace feedrate
