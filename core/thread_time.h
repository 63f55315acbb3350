// The processor time of a thread. Any thread.
#pragma once

namespace feedrate {

/// User and system time in seconds of the calling thread since it began.
[[nodiscard]] double thread_cpu_seconds() noexcept;

}  // namespace feedrate
