// SPDX-License-Identifier: Apache-2.0
// A descriptor that signal() makes readable, to wake a thread in poll().
#pragma once
#include "core/host/file.h"

namespace feedrate {

/// Any thread.
class WakeUp {
 public:
  /// Throws SystemError that names the limit that was reached.
  WakeUp();
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  void signal() const noexcept;
  void clear() const noexcept;

 private:
  UniqueFd descriptor_;
};

}  // namespace feedrate
