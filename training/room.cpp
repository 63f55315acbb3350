// SPDX-License-Identifier: Apache-2.0
#include "training/room.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/format.h"
#include "host/memory.h"
#include "host/processes.h"

namespace feedrate {
namespace {

constexpr const char* kRoot = "/";
constexpr std::uint64_t kFreshWorker = std::uint64_t{100} << 20;  // With torch, forked.
constexpr double kLeastLeft = 0.05;

std::uint64_t bytes_of_a_worker(const WatchedLoader& now) {
  const std::vector<pid_t> children = children_of(kRoot, now.process.id);
  std::uint64_t sum = 0;
  for (const pid_t child : children) sum += process_tree_pss(kRoot, child);
  return children.empty() ? kFreshWorker : std::max(kFreshWorker, sum / children.size());
}

// Of the control group, what the script takes is known, what others in it take is not.
std::uint64_t free_memory(const MemoryInfo& memory, const ScriptProcess& process) {
  if (!memory.cgroup_limit) return memory.available;
  const std::uint64_t taken = process_tree_pss(kRoot, process.id);
  return std::min(memory.available, *memory.cgroup_limit - std::min(*memory.cgroup_limit, taken));
}

}  // namespace

MemoryNeed need_of(const WatchedLoader& now, const ScriptLoader& wanted, std::uint64_t worker) {
  const std::uint64_t in_flight = most_outstanding(wanted) + wanted.num_workers;
  MemoryNeed need;
  need.shm = in_flight * now.copies.batch_bytes;
  need.host = wanted.num_workers * worker + need.shm;
  return need;
}

std::string why_no_room(const WatchedLoader& now, const ScriptLoader& wanted) {
  const MemoryInfo memory = read_memory_info(kRoot);
  MemoryRoom room;
  room.shm = memory.shm_free;
  if (memory.total > 0 && !memory.may_grow) {
    const auto left = static_cast<double>(free_memory(memory, now.process));
    room.host = static_cast<std::uint64_t>((1.0 - kLeastLeft) * left);
  }
  return why_no_room(need_of(now, wanted, bytes_of_a_worker(now)), room);
}

std::string memory_shortage(const ScriptProcess& process) {
  const MemoryInfo memory = read_memory_info(kRoot);
  if (memory.total == 0 || memory.may_grow) return {};
  const std::uint64_t all = std::min(memory.total, memory.cgroup_limit.value_or(memory.total));
  const std::uint64_t left = free_memory(memory, process);
  if (static_cast<double>(left) >= kLeastLeft * static_cast<double>(all)) return {};
  return fmt::format("memory: {} of {} are left",
                     format_value(static_cast<double>(left), Unit::kBytes),
                     format_value(static_cast<double>(all), Unit::kBytes));
}

}  // namespace feedrate
