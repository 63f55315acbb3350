// SPDX-License-Identifier: Apache-2.0
// What processes have used up so far: take the difference of two calls. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/types.h>

namespace feedrate {

/// Bytes that storage had to deliver for a process of this user, page cache hits not among them;
/// children count once they were waited for. Nothing where the kernel does not say. Network file
/// systems may not count here.
[[nodiscard]] std::optional<std::uint64_t> storage_read_bytes_of(
    pid_t process, const std::filesystem::path& root = "/");

/// What it wrote to files is among this; it may reach storage later.
[[nodiscard]] std::optional<std::uint64_t> storage_bytes_of(pid_t process);

/// Bytes that read calls have returned, page cache hits among them, and pipes and sockets, too;
/// what is mapped is not. Children and what is not known as with storage_read_bytes_of().
[[nodiscard]] std::optional<std::uint64_t> called_read_bytes_of(
    pid_t process, const std::filesystem::path& root = "/");

/// User and system time in seconds of all threads of this process, and of the children that were
/// waited for.
[[nodiscard]] double process_cpu_seconds();

}  // namespace feedrate
