// SPDX-License-Identifier: Apache-2.0
// Memory of this machine and of this process. Bytes. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>

#include <sys/types.h>

namespace feedrate {

struct MemoryInfo {
  std::uint64_t total = 0;      ///< 0 where not known
  std::uint64_t available = 0;  ///< without swapping, as the kernel estimates it
  /// The host of this virtual machine has taken memory back (a balloon), or adds some as it is used
  /// (virtio-mem): more than `available` may be had.
  bool may_grow = false;
  std::optional<std::uint64_t> cgroup_limit;
  std::optional<std::uint64_t> shm_size;  ///< /dev/shm; nothing where there is none
  std::optional<std::uint64_t> shm_free;
};

[[nodiscard]] MemoryInfo read_memory_info(const std::filesystem::path& root = "/");

struct MemoryUse {
  std::uint64_t available = 0;  ///< as in MemoryInfo
  /// Of files, read or written by any process; shared memory and /dev/shm are not among it.
  std::uint64_t page_cache = 0;
};

/// Of the whole machine, in one small read: as often as one likes.
[[nodiscard]] MemoryUse read_memory_use(const std::filesystem::path& root = "/");

/// Proportional set size of a process and all its descendants: a page shared by n processes counts
/// 1/n in each, so the sum counts it once. Where a process does not show its PSS, its resident set
/// stands in. A child that leads a process group of its own serves many cells, as a fork server
/// does: memory that only it has mapped is left out. Processes that end during it count as 0.
/// The kernel walks the page tables for it, some 20 ms of CPU time for each GB in 4 KiB pages:
/// sample it about once a second, and from a thread that no other waits for.
[[nodiscard]] std::uint64_t process_tree_pss();
[[nodiscard]] std::uint64_t process_tree_pss(const std::filesystem::path& root, pid_t process);
/// The same of this process. Holds `mutex` while it looks at one process, not all the time: the
/// kernel takes about 20 ms for each GB that a process has mapped.
[[nodiscard]] std::uint64_t process_tree_pss(std::mutex& mutex);

/// Bytes that only this process has mapped, which its end would free. Where the kernel does not
/// show it, its anonymous memory, of which a forked process shares some. 0 once it has ended.
[[nodiscard]] std::uint64_t private_memory(const std::filesystem::path& root, pid_t process);

}  // namespace feedrate
