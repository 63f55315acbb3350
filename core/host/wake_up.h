// SPDX-License-Identifier: Apache-2.0
// A descriptor that becomes readable when somebody says so: lets a thread in poll() be woken.
#pragma once
#include "core/host/file.h"

namespace feedrate {

/// Any thread.
class WakeUp {
 public:
  /// Throws SystemError naming the limit that was hit.
  WakeUp();
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  void signal() const noexcept;
  void clear() const noexcept;

 private:
  UniqueFd descriptor_;
};

}  // namespace feedrate
