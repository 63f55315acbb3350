// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/run_profile.h"

#include <algorithm>

#include "core/host/memory.h"

namespace feedrate {
namespace {

template <typename T>
std::optional<T> figure(const Repeat& repeat, const char* tag) {
  const double* value = find_metric(repeat.metrics, tag);
  return value ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
}

std::uint64_t memory_limit() {
  const MemoryInfo memory = read_memory_info();
  return std::min(memory.total, memory.cgroup_limit.value_or(memory.total));
}

RunFacts facts_of(const CellSpec& cell, const Repeat& repeat) {
  RunFacts facts;
  facts.num_workers = cell.loader.num_workers;
  if (cell.loader.num_workers > 0) {
    facts.prefetch_factor = cell.loader.prefetch_factor;
    facts.persistent_workers = cell.loader.persistent_workers;
  }
  facts.pin_memory = cell.loader.memory == HostMemory::kPinned;
  facts.non_blocking = cell.transfer.non_blocking;
  facts.first_batch_seconds = figure<double>(repeat, "first_batch_time");
  facts.batches_per_epoch = figure<std::size_t>(repeat, "batches_per_epoch");
  facts.host_memory_peak = figure<std::uint64_t>(repeat, "memory");
  facts.host_memory_limit = memory_limit();
  return facts;
}

}  // namespace

RunProfile make_run_profile(const CellSpec& cell, const Measurement& measurement,
                            const Repeat& repeat, const DeviceInfo& device,
                            std::string_view loader_name, const ProfileSchedule& schedule,
                            const RecordedTrace* recorded) {
  return {make_run_timeline(measurement, {.loader_name = std::string(loader_name),
                                          .memory = cell.loader.memory,
                                          .transfer = cell.transfer,
                                          .device = device,
                                          .recorded = recorded,
                                          .schedule = schedule}),
          facts_of(cell, repeat)};
}

}  // namespace feedrate
