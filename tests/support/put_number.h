// SPDX-License-Identifier: Apache-2.0
// Appends numbers to file contents in the machine's byte order: little-endian.
#pragma once
#include <cstring>
#include <string>
#include <type_traits>

namespace feedrate::testing {

template <typename Number>
void put(std::string& out, Number value) {
  static_assert(std::is_arithmetic_v<Number>);
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &value, sizeof(Number));
  out.append(bytes, sizeof(Number));
}

}  // namespace feedrate::testing
