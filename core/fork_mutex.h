// One process, one fork at a time, and no helper thread at work meanwhile.
#pragma once
#include <mutex>

namespace feedrate {

/// Held by whoever forks, and by helper threads while they work beside a thread that may fork. What
/// another thread holds at the moment of a fork is held in the child for ever: glibc frees its own
/// locks there, the allocators of sanitizers do not.
[[nodiscard]] std::mutex& fork_mutex() noexcept;

}  // namespace feedrate
