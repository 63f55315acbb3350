// SPDX-License-Identifier: Apache-2.0
// Error messages that name the faulty thing, also for errors that feedrate did not throw. Any
// thread.
#pragma once
#include <exception>
#include <string>

namespace feedrate {

/// Returns what() for our own errors.
[[nodiscard]] std::string error_text(const std::exception& error);

}  // namespace feedrate
