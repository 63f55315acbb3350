// SPDX-License-Identifier: Apache-2.0
// Memory of this machine and of this process, in bytes. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>

#include <sys/types.h>

namespace feedrate {

struct MemoryInfo {
  std::uint64_t total = 0;      ///< 0 if unknown
  std::uint64_t available = 0;  ///< the kernel's estimate of memory that needs no swapping
  /// More than `available` may be allocated: the host of this virtual machine has taken memory back
  /// (a balloon), or adds some on demand (virtio-mem).
  bool may_grow = false;
  std::optional<std::uint64_t> cgroup_limit;
  std::optional<std::uint64_t> shm_size;  ///< size of /dev/shm, if there is one
  std::optional<std::uint64_t> shm_free;
};

[[nodiscard]] MemoryInfo read_memory_info(const std::filesystem::path& root = "/");

struct MemoryUse {
  std::uint64_t available = 0;  ///< as in MemoryInfo
  /// Page cache of files of all processes, without shared memory and /dev/shm.
  std::uint64_t page_cache = 0;
};

/// Reads the use of the whole machine. It is cheap enough to be called often.
[[nodiscard]] MemoryUse read_memory_use(const std::filesystem::path& root = "/");

/// Proportional set size of a process and all its descendants: a page shared by n processes counts
/// 1/n in each, so the sum counts it once. If a process does not show its PSS, its resident set
/// counts. A child that leads its own process group serves many cells, as a fork server does, so
/// memory that only it maps is left out. Processes that end during the call count as 0. The kernel
/// walks the page tables, about 20 ms of CPU time for each GB in 4 KiB pages: sample it about once
/// a second, from a thread that no other thread waits for.
[[nodiscard]] std::uint64_t process_tree_pss();
[[nodiscard]] std::uint64_t process_tree_pss(const std::filesystem::path& root, pid_t process);
/// Like process_tree_pss(). Holds `mutex` while it reads one process, not all the time.
[[nodiscard]] std::uint64_t process_tree_pss(std::mutex& mutex);

/// Bytes that only this process maps, which its end would free. If the kernel does not show them,
/// its anonymous memory, part of which a forked process shares. 0 once it has ended.
[[nodiscard]] std::uint64_t private_memory(const std::filesystem::path& root, pid_t process);

}  // namespace feedrate
