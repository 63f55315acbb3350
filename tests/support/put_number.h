// SPDX-License-Identifier: Apache-2.0
// Numbers into files byte by byte.
#pragma once
#include <cstring>
#include <string>
#include <type_traits>

namespace feedrate::testing {

/// Appends a number as the machine has it: little-endian.
template <typename Number>
void put(std::string& out, Number value) {
  static_assert(std::is_arithmetic_v<Number>);
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &value, sizeof(Number));
  out.append(bytes, sizeof(Number));
}

}  // namespace feedrate::testing
