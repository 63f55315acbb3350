// SPDX-License-Identifier: Apache-2.0
// Serializes forks within the process, and keeps helper threads from running during one.
#pragma once
#include <mutex>

namespace feedrate {

/// Locked by the thread that forks, and by helper threads next to a thread that may fork. A lock
/// that another thread holds during a fork stays locked in the child: glibc frees its own there,
/// the allocators of sanitizers do not.
[[nodiscard]] inline std::mutex& fork_mutex() noexcept {
  static std::mutex mutex;
  return mutex;
}

}  // namespace feedrate
