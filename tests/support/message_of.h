// SPDX-License-Identifier: Apache-2.0
// Returns the message of the error that a call throws. Any thread.
#pragma once
#include <string>

#include "core/error.h"

namespace feedrate::testing {

/// The message of the E that `action` throws, whose result is dropped; empty where it throws none.
template <typename E = Error, typename Action>
std::string message_of(const Action& action) {
  try {
    static_cast<void>(action());
  } catch (const E& error) {
    return error.what();
  }
  return {};
}

}  // namespace feedrate::testing
