// SPDX-License-Identifier: Apache-2.0
// Reads a value from raw bytes.
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/units.h"

namespace feedrate {

/// The value at offset `at`, which need not be aligned. REQUIRES: it is within `bytes`
template <typename T>
[[nodiscard]] T load(Bytes bytes, std::size_t at = 0) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

}  // namespace feedrate
