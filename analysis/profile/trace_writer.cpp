// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_writer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace feedrate {
namespace {

// Readers derive roles from categories; they show unknown categories without counting them.
std::string_view category(const Activity& activity) {
  switch (activity.role) {
    case Role::kKernel:
      return "kernel";
    case Role::kMemcpy:
      return "gpu_memcpy";
    case Role::kMemset:
      return "gpu_memset";
    case Role::kCommunication:
      return activity.device == kHost ? "cpu_op" : "kernel";
    case Role::kRuntime:
      return "cuda_runtime";
    case Role::kDataLoader:
      return "user_annotation";
    case Role::kCpuExec:
      return "cpu_op";
    case Role::kUncounted:
      break;
  }
  return "feedrate";
}

constexpr std::int64_t kMostGpus = 64;

bool is_gpu(std::int64_t process) { return process >= 0 && process < kMostGpus; }

void check_processes(const Timeline& timeline) {
  for (const Activity& activity : timeline.activities) {
    const bool is_on_host = activity.device == kHost;
    const std::int64_t process = is_on_host ? activity.process : activity.device;
    if (is_gpu(process) != is_on_host) continue;
    throw std::invalid_argument(fmt::format(
        "trace: {} {} conflicts with a {}; GPUs must be 0 to {}", is_on_host ? "process" : "GPU",
        process, is_on_host ? "GPU" : "process", kMostGpus - 1));
  }
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Nanos first_time(const Timeline& timeline) {
  Nanos first = Nanos::max();
  for (const Activity& activity : timeline.activities) first = std::min(first, activity.span.begin);
  for (const StepSpan& step : timeline.steps) first = std::min(first, step.span.begin);
  for (const auto& [name, samples] : timeline.counters) {
    for (const CounterSample& sample : samples) first = std::min(first, sample.at);
  }
  return first == Nanos::max() ? Nanos(0) : first;
}

class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const Timeline& timeline, const TraceInfo& info)
      : out_(out), timeline_(timeline), info_(info), zero_(first_time(timeline)) {}

  void write() {
    write_head();
    write_lane_names();
    write_steps();
    for (const Activity& activity : timeline_.activities) write_activity(activity);
    write_counters();
    out_ << "\n]}\n";
  }

 private:
  // HTA searches for `"rank": N` with the space.
  void write_head() {
    out_ << R"({"schemaVersion": 1, "displayTimeUnit": "ms", "distributedInfo": {"rank": 0},)";
    for (const auto& [key, value] : info_.metadata) {
      out_ << '\n' << quoted(key) << ": " << quoted(value) << ',';
    }
    out_ << "\n\"deviceProperties\": [";
    for (const GpuProperties& gpu : timeline_.gpus) {
      out_ << (&gpu == timeline_.gpus.data() ? "" : ", ") << properties_of(gpu);
    }
    out_ << "],\n\"traceEvents\": [";
  }

  static std::string properties_of(const GpuProperties& gpu) {
    return fmt::format(
        R"({{"id": {}, "name": {}, "totalGlobalMem": {}, "computeMajor": {}, "computeMinor": {}, "numSms": {}}})",
        gpu.device, quoted(gpu.name), gpu.memory_bytes, gpu.compute_major, gpu.compute_minor,
        gpu.multiprocessors);
  }

  void write_lane_names() {
    std::int64_t order = 0;
    std::int64_t last_process = std::numeric_limits<std::int64_t>::min();
    for (const auto& [lane, name] : timeline_.lane_names) {
      const auto [process, thread] = lane;
      if (process != last_process) write_meta("process_name", process, 0, process_title(process));
      last_process = process;
      write_meta("thread_name", process, thread, name);
      write_event(fmt::format(
          R"({{"ph": "M", "name": "thread_sort_index", "pid": {}, "tid": {}, "args": {{"sort_index": {}}}}})",
          process, thread, order++));
    }
  }

  std::string process_title(std::int64_t process) const {
    const auto gpu = std::find_if(timeline_.gpus.begin(), timeline_.gpus.end(),
                                  [&](const auto& each) { return each.device == process; });
    return gpu == timeline_.gpus.end() ? info_.title
                                       : fmt::format("GPU {}: {}", process, gpu->name);
  }

  void write_meta(const char* what, std::int64_t process, std::int64_t thread,
                  const std::string& name) {
    write_event(
        fmt::format(R"({{"ph": "M", "name": "{}", "pid": {}, "tid": {}, "args": {{"name": {}}}}})",
                    what, process, thread, quoted(name)));
  }

  void write_steps() {
    for (const StepSpan& step : timeline_.steps) {
      write_event(fmt::format(
          R"({{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", "pid": {}, "tid": {}, {}, "args": {{}}}})",
          step.number, timeline_.main_lane.first, timeline_.main_lane.second, times(step.span)));
    }
  }

  void write_activity(const Activity& activity) {
    write_event(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": {}, "pid": {}, "tid": {}, {}, "args": {{{}}}}})",
        category(activity), quoted(timeline_.names.text(activity.name)), process_of(activity),
        activity.lane, times(activity.span), arguments(activity)));
    if (activity.correlation != 0) write_flow(activity);
  }

  static std::int64_t process_of(const Activity& activity) {
    return activity.device == kHost ? activity.process : activity.device;
  }

  static std::string arguments(const Activity& activity) {
    std::string text;
    const auto add = [&](std::string_view key, const auto& value) {
      fmt::format_to(std::back_inserter(text), R"({}"{}": {})", text.empty() ? "" : ", ", key,
                     value);
    };
    if (activity.device != kHost) {
      add("device", activity.device);
      add("stream", activity.lane);
    }
    if (activity.correlation != 0) add("correlation", activity.correlation);
    if (activity.external_id != 0) add("External id", activity.external_id);
    if (activity.bytes != 0) add("bytes", activity.bytes);
    if (activity.role == Role::kMemcpy) add("memory bandwidth (GB/s)", bandwidth(activity));
    if (activity.blocks_per_sm > 0) add("blocks per SM", activity.blocks_per_sm);
    if (activity.occupancy > 0) add("est. achieved occupancy %", 100 * activity.occupancy);
    return text;
  }

  static double bandwidth(const Activity& copy) {
    const auto length = static_cast<double>((copy.span.length()).count());
    return length > 0 ? static_cast<double>(copy.bytes) / length : 0.0;
  }

  void write_flow(const Activity& activity) {
    const bool starts = activity.device == kHost;
    write_event(fmt::format(
        R"({{"ph": "{}", "cat": "ac2g", "name": "ac2g", "id": {}, "pid": {}, "tid": {}, "ts": {}{}}})",
        starts ? "s" : "f", activity.correlation, process_of(activity), activity.lane,
        microseconds(activity.span.begin - zero_), starts ? "" : R"(, "bp": "e")"));
  }

  // Viewers show a counter's name and its series: "ready" and "batches".
  void write_counters() {
    for (const auto& [title, samples] : timeline_.counters) {
      const std::size_t blank = std::min(title.rfind(' '), title.size());
      const std::string name = title.substr(0, blank);
      const std::string series = blank < title.size() ? title.substr(blank + 1) : "value";
      for (const CounterSample& sample : samples) {
        write_event(
            fmt::format(R"({{"ph": "C", "name": {}, "pid": {}, "ts": {}, "args": {{{}: {}}}}})",
                        quoted(name), timeline_.main_lane.first, microseconds(sample.at - zero_),
                        quoted(series), sample.value));
      }
    }
  }

  std::string times(const TimeInterval& span) const {
    return fmt::format(R"("ts": {}, "dur": {})", microseconds(span.begin - zero_),
                       microseconds(span.length()));
  }

  static std::string microseconds(Nanos time) {
    return fmt::format("{}.{:03}", time.count() / 1000, time.count() % 1000);
  }

  void write_event(const std::string& event) {
    out_ << (any_ ? ",\n" : "\n") << event;
    any_ = true;
  }

  std::ostream& out_;
  const Timeline& timeline_;
  const TraceInfo& info_;
  const Nanos zero_;
  bool any_ = false;
};

}  // namespace

void write_trace(std::ostream& out, const Timeline& timeline, const TraceInfo& info) {
  check_processes(timeline);
  TraceWriter(out, timeline, info).write();
}

}  // namespace feedrate
