// SPDX-License-Identifier: Apache-2.0
// Sets an environment variable while the object lives.
#pragma once
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace feedrate::testing {

class ScopedVariable {
 public:
  /// Unsets the variable if `value` is empty.
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* before = ::getenv(name_.c_str())) before_ = before;
    value.empty() ? ::unsetenv(name_.c_str()) : ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() {
    before_ ? ::setenv(name_.c_str(), before_->c_str(), 1) : ::unsetenv(name_.c_str());
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace feedrate::testing
