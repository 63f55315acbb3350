// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/run_profile.h"

#include <algorithm>

#include "core/host/memory.h"

namespace feedrate {
namespace {

RunTimelineOptions timeline_options(const CellSpec& cell, const DeviceInfo& device,
                                    std::string_view loader_name, const ProfileSchedule& schedule,
                                    const RecordedTrace* recorded) {
  RunTimelineOptions options;
  options.loader_name = loader_name;
  if (cell.transfer.host_overhead > Nanos(0)) options.host_name = "host_overhead_us";
  options.memory = cell.loader.memory;
  options.side_stream =
      cell.transfer.copy_stream == CopyStream::kSide || cell.transfer.device_prefetch > 0;
  options.non_blocking = cell.transfer.non_blocking;
  options.sync_every = cell.transfer.sync_every;
  options.device_prefetch = cell.transfer.device_prefetch;
  options.device_name = device.name;
  options.device_memory = device.memory_bytes;
  options.multiprocessors = device.multiprocessors;
  options.compute_major = device.compute_major;
  options.compute_minor = device.compute_minor;
  options.schedule = schedule;
  options.recorded = recorded;
  return options;
}

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
  return {make_run_timeline(measurement,
                            timeline_options(cell, device, loader_name, schedule, recorded)),
          facts_of(cell, repeat)};
}

}  // namespace feedrate
