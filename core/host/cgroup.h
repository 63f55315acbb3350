// SPDX-License-Identifier: Apache-2.0
// The limits of this process by control groups, version 2 or 1. The limits of all parent groups
// apply, too: the smallest counts. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace feedrate {

/// The quota in CPUs: 1.5 is 150 ms of CPU time in 100 ms. Nothing if there is no quota.
[[nodiscard]] std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

/// The limit in bytes. Nothing if there is no limit.
[[nodiscard]] std::optional<std::uint64_t> cgroup_memory_limit(
    const std::filesystem::path& root = "/");

/// Bytes that may still be allocated below the limits of all groups: hard limits, those at which
/// the kernel slows processes down (memory.high), and those of memory plus swap (version 1). Page
/// cache counts as free. Nothing if there is no limit.
[[nodiscard]] std::optional<std::uint64_t> cgroup_memory_free(
    const std::filesystem::path& root = "/");

/// Number of processes that the kernel has killed for lack of memory in this process's group, or in
/// the nearest parent group that counts them, since that group was made. Nothing if no group
/// counts.
[[nodiscard]] std::optional<std::uint64_t> cgroup_oom_kills(
    const std::filesystem::path& root = "/");

}  // namespace feedrate
