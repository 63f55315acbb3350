// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/error.h"

namespace feedrate::testing {

/// The message of the Error that `call` throws; "no error" if it returns.
template <typename Error = ConfigError, typename Call>
std::string error_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace feedrate::testing
