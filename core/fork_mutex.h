// SPDX-License-Identifier: Apache-2.0
// One process, one fork at a time, and no helper thread running during a fork.
#pragma once
#include <mutex>

namespace feedrate {

/// Held by the thread that forks, and by helper threads next to a thread that may fork. What
/// another thread holds at the moment of a fork is held in the child for ever: glibc frees its own
/// locks there, the allocators of sanitizers do not.
[[nodiscard]] std::mutex& fork_mutex() noexcept;

}  // namespace feedrate
