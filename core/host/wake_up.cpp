// SPDX-License-Identifier: Apache-2.0
#include "core/host/wake_up.h"

#include <cerrno>

#include <sys/eventfd.h>

#include "core/error.h"
#include "core/host/resource_limits.h"

namespace feedrate {

WakeUp::WakeUp() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const int number = errno;
  if (descriptor_.get() < 0) {
    throw SystemError("eventfd", "cannot be made" + hint_for(number), number);
  }
}

void WakeUp::signal() const noexcept { static_cast<void>(::eventfd_write(descriptor_.get(), 1)); }

void WakeUp::clear() const noexcept {
  eventfd_t count = 0;
  static_cast<void>(::eventfd_read(descriptor_.get(), &count));
}

}  // namespace feedrate
