// SPDX-License-Identifier: Apache-2.0
#include "core/did_you_mean.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace feedrate {
namespace {

// Levenshtein's distance.
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

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const auto best = std::min_element(known.begin(), known.end(), [&](auto a, auto b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  if (best == known.end() || edit_distance(word, *best) > 2 + word.size() / 4) return {};
  return fmt::format("; did you mean {}?", *best);
}

}  // namespace feedrate
