// SPDX-License-Identifier: Apache-2.0
// Access to a fake library that a test names in an environment variable.
#pragma once
#include <stdexcept>
#include <string>

#include "core/shared_library.h"

namespace feedrate::testing {

/// Returns the function `name` of the library at `path`, which stays loaded.
template <typename Function>
[[nodiscard]] Function* function_of_fake(const char* path, const char* name) {
  std::string problem;
  const SharedLibrary library(path, true, problem);
  if (!library) throw std::runtime_error(problem);
  return reinterpret_cast<Function*>(library.symbol(name));
}

}  // namespace feedrate::testing
