// SPDX-License-Identifier: Apache-2.0
// What went wrong, in words that name the thing at fault, also where an error is not one of ours.
// Any thread.
#pragma once
#include <exception>
#include <string>

namespace feedrate {

/// what() of our own errors.
[[nodiscard]] std::string error_text(const std::exception& error);

}  // namespace feedrate
