// SPDX-License-Identifier: Apache-2.0
// A read of bytes that costs next to nothing. Pure function; any thread.
#pragma once
#include <cstddef>

#include "core/units.h"

namespace feedrate {

/// A byte of each page: memory that is mapped is not there before somebody looks at it.
[[nodiscard]] inline std::size_t inspect(Bytes bytes) noexcept {
  constexpr std::size_t kPage = 4096;
  std::size_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kPage) {
    sum += std::to_integer<std::size_t>(bytes[at]);
  }
  return sum;
}

}  // namespace feedrate
