// SPDX-License-Identifier: Apache-2.0
// Processes of this machine as the kernel shows them. What has ended counts as nothing: no call
// throws for it. Any thread.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace feedrate {

/// Those that any of its threads started and that still run.
[[nodiscard]] std::vector<pid_t> children_of(const std::filesystem::path& root, pid_t process);

/// `process` itself, then all its descendants.
[[nodiscard]] std::vector<pid_t> process_tree(const std::filesystem::path& root, pid_t process);

/// User and system time in seconds of all its threads, to the nanosecond; its children do not
/// count. Nothing once it has ended: its time cannot be known any more.
[[nodiscard]] std::optional<double> cpu_seconds_of(pid_t process);

/// Of those of its children that have ended and were waited for, and of theirs; in the kernel's
/// steps of 10 ms. 0 once `process` has ended.
[[nodiscard]] double ended_children_cpu_seconds_of(const std::filesystem::path& root,
                                                   pid_t process);

/// The file of this process's program. Throws std::filesystem::filesystem_error without /proc.
[[nodiscard]] std::filesystem::path own_program();

/// The kernel's own: empty where they cannot be seen, as from a container.
[[nodiscard]] std::vector<pid_t> kernel_threads(const std::filesystem::path& root = "/");

}  // namespace feedrate
