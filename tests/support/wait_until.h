// SPDX-License-Identifier: Apache-2.0
// Waits for what nothing announces, such as a file of another process. Any thread.
#pragma once
#include <chrono>
#include <thread>

namespace feedrate::testing {

/// Polls until the condition holds. ctest's time limit ends a wait for what never happens.
template <class Condition>
void wait_until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace feedrate::testing
