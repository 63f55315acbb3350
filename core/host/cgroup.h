// SPDX-License-Identifier: Apache-2.0
// The limits that control groups, version 2 or 1, put on this process. A limit of any group around
// its own holds, too: the smallest counts. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace feedrate {

/// In CPUs: 1.5 is 150 ms of CPU time in 100 ms. Nothing where there is no quota.
[[nodiscard]] std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

/// Nothing where there is no limit.
[[nodiscard]] std::optional<std::uint64_t> cgroup_memory_limit(
    const std::filesystem::path& root = "/");

/// Bytes that may still be taken before the limit of any of the groups: hard limits and those at
/// which the kernel slows down (memory.high), and of swap together with memory (version 1). Page
/// cache counts as free. Nothing where there is no limit.
[[nodiscard]] std::optional<std::uint64_t> cgroup_memory_free(
    const std::filesystem::path& root = "/");

/// Processes that the kernel has killed because memory ran out in this process's own group, or in
/// the next one around it that counts them, since that was made. Nothing where none does.
[[nodiscard]] std::optional<std::uint64_t> cgroup_oom_kills(
    const std::filesystem::path& root = "/");

}  // namespace feedrate
