// SPDX-License-Identifier: Apache-2.0
// I/O and CPU time of processes since their start. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/types.h>

namespace feedrate {

/// Bytes that a process of this user read from storage, without page cache hits; children count
/// once they were waited for. Nothing if the kernel does not count. Reads of network file systems
/// may not count.
[[nodiscard]] std::optional<std::uint64_t> storage_read_bytes_of(
    pid_t process, const std::filesystem::path& root = "/");

/// Bytes read from and written to storage; written bytes may reach storage later.
[[nodiscard]] std::optional<std::uint64_t> storage_bytes_of(pid_t process);

/// Bytes that read calls returned, including page cache hits, pipes and sockets, without mapped
/// files. Children and missing counters are treated as by storage_read_bytes_of().
[[nodiscard]] std::optional<std::uint64_t> called_read_bytes_of(
    pid_t process, const std::filesystem::path& root = "/");

/// User and system time in seconds of all threads of this process, and of the children that were
/// waited for.
[[nodiscard]] double process_cpu_seconds();

}  // namespace feedrate
