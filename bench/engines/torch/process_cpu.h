// CPU time of other processes. Any thread.
#pragma once
#include <vector>

#include <sys/types.h>

namespace feedrate {

/// User and system time in seconds of all threads of these processes, children not counted. One
/// that has ended counts as nothing.
[[nodiscard]] double cpu_seconds_of(const std::vector<pid_t>& processes);

}  // namespace feedrate
