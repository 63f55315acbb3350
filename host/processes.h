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

}  // namespace feedrate
