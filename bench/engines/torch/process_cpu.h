// SPDX-License-Identifier: Apache-2.0
// CPU time of other processes. Any thread.
#pragma once
#include <optional>
#include <vector>

#include <sys/types.h>

namespace feedrate {

/// User and system time in seconds of all threads of these processes, without their children.
/// Returns nothing if one of them has ended, whose time is lost.
[[nodiscard]] std::optional<double> cpu_seconds_of(const std::vector<pid_t>& processes);

}  // namespace feedrate
