// SPDX-License-Identifier: Apache-2.0
#include "core/history.h"

#include <algorithm>
#include <array>

namespace feedrate {
namespace {

constexpr std::array<std::string_view, 3> kUseWords{"own", "trial", "kept"};

}  // namespace

const char* to_string(SegmentUse use) noexcept {
  return kUseWords[static_cast<std::size_t>(use)].data();
}

std::optional<SegmentUse> segment_use_from_string(std::string_view word) noexcept {
  const auto found = std::find(kUseWords.begin(), kUseWords.end(), word);
  if (found == kUseWords.end()) return std::nullopt;
  return static_cast<SegmentUse>(found - kUseWords.begin());
}

}  // namespace feedrate
