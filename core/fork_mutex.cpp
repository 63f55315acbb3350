// SPDX-License-Identifier: Apache-2.0
#include "core/fork_mutex.h"

namespace feedrate {

std::mutex& fork_mutex() noexcept {
  static std::mutex mutex;
  return mutex;
}

}  // namespace feedrate
