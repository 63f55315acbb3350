// SPDX-License-Identifier: Apache-2.0
// Whether a list has a value. Pure; any thread.
#pragma once
#include <algorithm>

namespace feedrate {

template <class List, class Value>
[[nodiscard]] bool contains(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace feedrate
