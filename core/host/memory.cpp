// SPDX-License-Identifier: Apache-2.0
#include "core/host/memory.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/statvfs.h>
#include <unistd.h>

#include "core/host/cgroup.h"
#include "core/host/processes.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

fs::path proc_folder(const fs::path& root, pid_t process) {
  return root / "proc" / std::to_string(process);
}

struct Mapped {
  std::uint64_t pss = 0;
  std::uint64_t own = 0;  // Bytes that no other process maps.
};

Mapped mapped_by(const fs::path& folder) {
  const std::string rollup = read_text(folder / "smaps_rollup").value_or("");
  const auto pss = find_kilobytes(rollup, "Pss");
  if (!pss) {
    return {find_kilobytes(read_text(folder / "status").value_or(""), "VmRSS").value_or(0), 0};
  }
  return {*pss, find_kilobytes(rollup, "Private_Clean").value_or(0) +
                    find_kilobytes(rollup, "Private_Dirty").value_or(0)};
}

// Whether `member` is a child of `process` that leads its own process group.
bool is_child_apart(const fs::path& folder, pid_t member, pid_t process) {
  const std::string stat = read_text(folder / "stat").value_or("");
  const auto fields = stat_fields(stat);
  return fields.size() > 2 && fields[1] == std::to_string(process) &&
         fields[2] == std::to_string(member);
}

std::uint64_t counted_pss(const fs::path& root, pid_t member, pid_t process) {
  const fs::path folder = proc_folder(root, member);
  const Mapped mapped = mapped_by(folder);
  return is_child_apart(folder, member, process) ? mapped.pss - std::min(mapped.pss, mapped.own)
                                                 : mapped.pss;
}

void read_shm(const fs::path& folder, MemoryInfo& info) {
  struct statvfs status {};
  if (statvfs(folder.c_str(), &status) != 0) return;
  info.shm_size = std::uint64_t{status.f_blocks} * status.f_frsize;
  info.shm_free = std::uint64_t{status.f_bavail} * status.f_frsize;
}

bool has_balloon(const fs::path& root) {
  std::istringstream counters(read_text(root / "proc/vmstat").value_or(""));
  std::map<std::string, std::uint64_t> pages;
  std::string name;
  while (counters >> name) counters >> pages[name];
  return pages["balloon_inflate"] > pages["balloon_deflate"];
}

bool has_virtio_mem(const fs::path& root) {
  std::error_code error;
  const fs::directory_iterator files(root / "sys/bus/virtio/drivers/virtio_mem", error);
  return !error && std::any_of(fs::begin(files), fs::end(files), [](const fs::path& file) {
    return file.filename().string().starts_with("virtio");
  });
}

}  // namespace

MemoryInfo read_memory_info(const fs::path& root) {
  const std::string meminfo = read_text(root / "proc/meminfo").value_or("");
  MemoryInfo info;
  info.total = find_kilobytes(meminfo, "MemTotal").value_or(0);
  info.available = find_kilobytes(meminfo, "MemAvailable").value_or(0);
  info.may_grow = has_balloon(root) || has_virtio_mem(root);
  info.cgroup_limit = cgroup_memory_limit(root);
  read_shm(root / "dev/shm", info);
  return info;
}

MemoryUse read_memory_use(const fs::path& root) {
  const std::string meminfo = read_text(root / "proc/meminfo").value_or("");
  const auto field = [&](const char* name) { return find_kilobytes(meminfo, name).value_or(0); };
  const std::uint64_t cached = field("Cached") + field("Buffers");
  return {.available = field("MemAvailable"),
          .page_cache = cached - std::min(cached, field("Shmem"))};
}

std::uint64_t process_tree_pss() { return process_tree_pss("/", getpid()); }

std::uint64_t process_tree_pss(const fs::path& root, pid_t process) {
  std::uint64_t sum = 0;
  for (const pid_t member : process_tree(root, process)) {
    sum += counted_pss(root, member, process);
  }
  return sum;
}

std::uint64_t process_tree_pss(std::mutex& mutex) {
  std::unique_lock lock(mutex);
  const std::vector<pid_t> members = process_tree("/", getpid());
  std::uint64_t sum = 0;
  for (const pid_t member : members) {
    sum += counted_pss("/", member, getpid());
    lock.unlock();
    // Without a pause, this thread would get the mutex again before a waiting thread.
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    lock.lock();
  }
  return sum;
}

std::uint64_t private_memory(const fs::path& root, pid_t process) {
  const fs::path folder = proc_folder(root, process);
  if (const std::uint64_t own = mapped_by(folder).own; own > 0) return own;
  const std::string status = read_text(folder / "status").value_or("");
  return find_kilobytes(status, "RssAnon").value_or(0);
}

}  // namespace feedrate
