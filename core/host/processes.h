// SPDX-License-Identifier: Apache-2.0
// Processes of this machine, from /proc. No function throws for a process that has ended. Any
// thread.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace feedrate {

/// Returns the running children that any thread of `process` started.
[[nodiscard]] std::vector<pid_t> children_of(const std::filesystem::path& root, pid_t process);

/// `process` itself, then all its descendants.
[[nodiscard]] std::vector<pid_t> process_tree(const std::filesystem::path& root, pid_t process);

/// User and system time in seconds of all its threads, to the nanosecond, without children. Nothing
/// once it has ended, since its time is lost.
[[nodiscard]] std::optional<double> cpu_seconds_of(pid_t process);

/// CPU time in seconds of its children that were waited for, and of theirs, in the kernel's steps
/// of 10 ms. 0 once `process` has ended.
[[nodiscard]] double ended_children_cpu_seconds_of(const std::filesystem::path& root,
                                                   pid_t process);

/// The file of this process's program. Throws std::filesystem::filesystem_error without /proc.
[[nodiscard]] std::filesystem::path own_program();

/// Empty if the kernel's threads are not visible, as in a container.
[[nodiscard]] std::vector<pid_t> kernel_threads(const std::filesystem::path& root = "/");

}  // namespace feedrate
