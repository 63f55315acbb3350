// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/run_timeline.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analysis/profile/tensor_cores.h"
#include "bench/engines/timeline_lanes.h"

namespace feedrate {
namespace {

using namespace lanes;

class RunTimeline {
 public:
  RunTimeline(const Measurement& measurement, const RunTimelineOptions& options)
      : measurement_(measurement), options_(options) {}

  Timeline finish() {
    timeline_.main_lane = {kProcess, kTrainer};
    name_lane(kTrainer, "training loop");
    add_gpu();
    add_epoch_start();
    add_steps(measurement_.discarded, measurement_.kept.size() + measurement_.discarded.size());
    add_steps(measurement_.kept, measurement_.kept.size());
    mark_steps();
    add_ready_batches();
    if (options_.recorded != nullptr) use_recorded(timeline_, *options_.recorded);
    sort();
    return std::move(timeline_);
  }

 private:
  void add_gpu() {
    if (measurement_.spans.empty()) return;
    GpuProperties gpu;
    gpu.device = kGpu;
    gpu.name = options_.device.name;
    gpu.memory_bytes = options_.device.memory_bytes;
    gpu.multiprocessors = options_.device.multiprocessors;
    gpu.compute_major = options_.device.compute_major;
    gpu.compute_minor = options_.device.compute_minor;
    timeline_.gpus.push_back(std::move(gpu));
    timeline_.lane_names[{kGpu, kComputeStream}] =
        has_side_stream() ? "compute stream" : "compute and copy stream";
    if (has_side_stream()) timeline_.lane_names[{kGpu, kSideStream}] = "copy stream";
  }

  [[nodiscard]] bool has_side_stream() const {
    return options_.transfer.copy_stream == CopyStream::kSide ||
           options_.transfer.device_prefetch > 0;
  }

  void add_epoch_start() {
    if (measurement_.discarded.empty() || measurement_.epochs.empty()) return;
    add_host(Role::kUncounted, "start_epoch",
             {measurement_.epochs.back().begin, measurement_.discarded.front().asked});
  }

  // `from_end` is the number of spans from the first of these steps to the last of all steps.
  void add_steps(const std::vector<StepMarks>& steps, std::size_t from_end) {
    const std::vector<DeviceSpans>& spans = measurement_.spans;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      add_making(steps[i]);
      add_host(Role::kDataLoader, options_.loader_name, {steps[i].asked, steps[i].loaded});
      if (spans.size() < from_end) continue;
      const std::size_t number = spans.size() - from_end + i;
      add_copy(steps[i], number);
      if (number >= options_.transfer.device_prefetch) {
        add_launch(steps[i], number - options_.transfer.device_prefetch);
      }
      add_device(steps[i], spans[number], number);
    }
  }

  // Correlation ids of a batch's copy and of its kernel launch; `number` counts all batches.
  static std::uint64_t copy_id(std::size_t number) { return 2 * number + 1; }
  static std::uint64_t launch_id(std::size_t number) { return 2 * number + 2; }

  void add_making(const StepMarks& step) {
    const BatchHistory& made = step.history;
    const bool is_worker = made.worker >= 0;
    const std::int64_t lane = is_worker ? kFirstWorker + made.worker : kTrainer;
    if (is_worker) name_lane(lane, fmt::format("worker {}", made.worker));
    add_making("fetch", lane, {made.fetch_begin, made.fetch_end}, step.bytes);
    if (made.pin_begin == made.pin_end) return;
    if (is_worker) name_lane(kPin, "pin thread");
    add_making("pin_memory", is_worker ? kPin : kTrainer, {made.pin_begin, made.pin_end},
               step.bytes);
  }

  // A blocking copy is two calls, the second of which waits. After a non-blocking copy the host
  // waits only if too many copies are in flight, and then for an earlier one.
  void add_copy(const StepMarks& step, std::size_t number) {
    add_host(Role::kRuntime, "cudaMemcpyAsync", {step.loaded, step.queued}, copy_id(number));
    const TimeInterval wait{step.queued, step.copied};
    if (!options_.transfer.non_blocking) {
      add_host(Role::kRuntime, "cudaStreamSynchronize", wait);
    } else if (step.ran_ahead) {
      add_host(Role::kRuntime, "cudaEventSynchronize", wait);
    }
  }

  void add_launch(const StepMarks& step, std::size_t number) {
    if (options_.transfer.host_overhead > Nanos(0)) {
      add_host(Role::kCpuExec, "host_overhead_us", {step.copied, step.launching});
    }
    add_host(Role::kRuntime, "cudaLaunchKernel", {step.launching, step.launched},
             launch_id(number));
    if (options_.transfer.sync_every == 0 || (number + 1) % options_.transfer.sync_every != 0)
      return;
    add_host(Role::kRuntime, "cudaStreamSynchronize", {step.launched, step.trained});
  }

  void add_device(const StepMarks& step, const DeviceSpans& spans, std::size_t number) {
    const bool is_pinned = options_.memory == HostMemory::kPinned;
    Activity copy = activity(
        Role::kMemcpy,
        is_pinned ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy HtoD (Pageable -> Device)", kGpu,
        has_side_stream() ? kSideStream : kComputeStream, {spans.copy_begin, spans.copy_end});
    copy.device = kGpu;
    copy.correlation = copy_id(number);
    copy.bytes = step.bytes;
    copy.source = is_pinned ? MemoryKind::kPinned : MemoryKind::kPageable;
    copy.target = MemoryKind::kDevice;
    keep(copy);
    Activity kernel = activity(Role::kKernel, kUnnamedKernels, kGpu, kComputeStream,
                               {spans.compute_begin, spans.compute_end});
    kernel.device = kGpu;
    kernel.correlation = launch_id(number);
    keep(kernel);
  }

  void mark_steps() {
    for (std::size_t i = 0; i < measurement_.kept.size(); ++i) {
      const StepMarks& step = measurement_.kept[i];
      if (!options_.schedule.records(i)) continue;
      timeline_.steps.push_back({static_cast<std::int64_t>(i), {step.asked, step.trained}});
    }
  }

  void add_ready_batches() {
    std::vector<std::pair<Nanos, int>> changes;
    for (const auto* steps : {&measurement_.discarded, &measurement_.kept}) {
      for (const StepMarks& step : *steps) {
        if (step.history.ready == Nanos(0)) continue;
        changes.emplace_back(step.history.ready, 1);
        changes.emplace_back(std::max(step.loaded, step.history.ready), -1);
      }
    }
    std::sort(changes.begin(), changes.end());
    int ready = 0;
    for (const auto& [at, change] : changes) {
      ready += change;
      timeline_.counters["ready batches"].push_back({at, static_cast<double>(ready)});
    }
  }

  Activity activity(Role role, std::string_view name, std::int64_t process, std::int64_t lane,
                    TimeInterval span) {
    Activity activity;
    activity.role = role;
    activity.name = timeline_.names.id(name);
    activity.process = process;
    activity.lane = lane;
    activity.span = span;
    return activity;
  }

  void add_host(Role role, std::string_view name, TimeInterval span,
                std::uint64_t correlation = 0) {
    Activity call = activity(role, name, kProcess, kTrainer, span);
    call.correlation = correlation;
    keep(call);
  }

  void add_making(std::string_view name, std::int64_t lane, TimeInterval span,
                  std::uint64_t bytes) {
    Activity making = activity(Role::kUncounted, name, kProcess, lane, span);
    making.bytes = bytes;
    keep(making);
  }

  // Drops an activity without length, which did not happen: a batch not fetched, an overhead of
  // zero. A call may have no length on a manual clock.
  void keep(const Activity& activity) {
    if (activity.span.begin < activity.span.end || activity.role == Role::kRuntime) {
      timeline_.activities.push_back(activity);
    }
  }

  void name_lane(std::int64_t lane, std::string name) {
    timeline_.lane_names.try_emplace({kProcess, lane}, std::move(name));
  }

  void sort() {
    std::stable_sort(timeline_.activities.begin(), timeline_.activities.end(),
                     [](const Activity& a, const Activity& b) {
                       return std::tie(a.span.begin, a.role) < std::tie(b.span.begin, b.role);
                     });
  }

  const Measurement& measurement_;
  const RunTimelineOptions& options_;
  Timeline timeline_;
};

}  // namespace

Timeline make_run_timeline(const Measurement& measurement, const RunTimelineOptions& options) {
  return RunTimeline(measurement, options).finish();
}

}  // namespace feedrate
