// SPDX-License-Identifier: Apache-2.0
#include "training/worker_memory.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/format.h"
#include "core/host/cgroup.h"
#include "core/host/memory.h"
#include "core/host/processes.h"

namespace feedrate {
namespace {

constexpr const char* kRoot = "/";
constexpr std::uint64_t kLeastWorker = std::uint64_t{100} << 20;  // With torch.
constexpr double kLeastLeft = 0.05;

// Workers of a trial are no children of the script; the others are.
std::vector<pid_t> workers_of(const WatchedLoader& now) {
  if (!now.workers.empty()) return now.workers;
  return now.loader.num_workers > 0 ? children_of(kRoot, now.process.id) : std::vector<pid_t>();
}

std::vector<std::uint64_t> private_memory_of_workers(const WatchedLoader& now) {
  std::vector<std::uint64_t> all;
  for (const pid_t worker : workers_of(now)) {
    if (const std::uint64_t own = private_memory(kRoot, worker); own > 0) all.push_back(own);
  }
  return all;
}

std::uint64_t free_memory(const MemoryInfo& memory) {
  return std::min(memory.available, cgroup_memory_free(kRoot).value_or(memory.available));
}

}  // namespace

MemoryNeed need_of(const WatchedLoader& now, const ScriptLoader& wanted, std::uint64_t worker) {
  const std::uint64_t in_flight = most_outstanding(wanted) + wanted.num_workers;
  MemoryNeed need;
  need.shm = in_flight * now.copies.batch_bytes;
  need.host = wanted.num_workers * worker + need.shm;
  return need;
}

std::uint64_t bytes_of_a_worker(const std::vector<std::uint64_t>& private_memory,
                                std::uint64_t of_the_training) {
  const auto largest = std::max_element(private_memory.begin(), private_memory.end());
  return std::max(kLeastWorker, largest == private_memory.end() ? of_the_training : *largest);
}

std::string why_no_memory(const WatchedLoader& now, const ScriptLoader& wanted) {
  const MemoryInfo memory = read_memory_info(kRoot);
  AvailableMemory available;
  available.shm = memory.shm_free;
  if (memory.total > 0 && !memory.may_grow) {
    const auto left = static_cast<double>(free_memory(memory));
    available.host = static_cast<std::uint64_t>((1.0 - kLeastLeft) * left);
  }
  const std::uint64_t worker =
      bytes_of_a_worker(private_memory_of_workers(now), private_memory(kRoot, now.process.id));
  MemoryNeed need = need_of(now, wanted, worker);
  const std::size_t ranks = std::max<std::size_t>(1, now.loader.ranks);
  need.host *= ranks;
  need.shm *= ranks;
  return why_exceeds(need, available);
}

std::size_t most_workers_now(const WatchedLoader& now) {
  return private_memory_of_workers(now).empty() ? 1 : std::numeric_limits<std::size_t>::max();
}

std::string memory_shortage() {
  const MemoryInfo memory = read_memory_info(kRoot);
  if (memory.total == 0 || memory.may_grow) return {};
  const std::uint64_t all = std::min(memory.total, memory.cgroup_limit.value_or(memory.total));
  const std::uint64_t left = free_memory(memory);
  if (static_cast<double>(left) >= kLeastLeft * static_cast<double>(all)) return {};
  return fmt::format("memory: {} of {} are left",
                     format_value(static_cast<double>(left), Unit::kBytes),
                     format_value(static_cast<double>(all), Unit::kBytes));
}

}  // namespace feedrate
