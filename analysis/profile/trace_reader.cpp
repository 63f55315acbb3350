// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "analysis/profile/byte_input.h"
#include "analysis/profile/trace_document.h"
#include "analysis/profile/trace_event.h"
#include "analysis/profile/trace_roles.h"
#include "core/error.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kProfilerRange = "cuda_profiler_range";
constexpr std::int64_t kLastGpu = 1023;
constexpr std::int64_t kHostDeviceType = 0;
constexpr Nanos kLatest = Nanos::max() / 2;
// Limit of the sum of all spans, so that ten times a sum still fits 64 bits: 14 years, far more
// than any recording.
constexpr Nanos kMostRecorded = Nanos::max() / 20;

std::optional<std::int64_t> step_number(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  return parse_number<std::int64_t>(name.substr(kStepPrefix.size()));
}

// PyTorch without kineto, such as Debian's, names a process instead of a category.
void add_category(TraceEvent& event) {
  if (!event.category.empty()) return;
  if (event.process_name == "CPU functions") event.category = "cpu_op";
  if (event.process_name != "CUDA functions") return;
  event.category = "kernel";
  event.device = event.thread;
}

// Empty if a difference of two times could overflow.
std::optional<TimeInterval> span_of(const TraceEvent& event) {
  if (!event.begin || !event.duration) return std::nullopt;
  const Nanos duration = std::max(*event.duration, Nanos(0));
  if (duration > kLatest - *event.begin) return std::nullopt;
  return TimeInterval{*event.begin, *event.begin + duration};
}

class TimelineBuilder {
 public:
  void add(const TraceEvent& event) {
    if (event.phase == 'X') {
      add_span(event);
    } else if (event.phase == 'i' && event.name == "[memory]") {
      add_memory(event);
    } else if (event.phase == 'M' && event.name == "thread_name") {
      timeline_.lane_names[{event.process, event.thread}] = event.lane_name;
    }
  }

  void add_gpu(GpuProperties found) {
    if (found.device > kLastGpu) return;
    GpuProperties& gpu = gpu_with(found.device);
    found.peak = gpu.peak;
    gpu = std::move(found);
  }

  [[nodiscard]] bool is_empty() const {
    return timeline_.activities.empty() && timeline_.steps.empty();
  }

  Timeline finish() {
    mark_communication();
    start_at_zero();
    std::sort(timeline_.activities.begin(), timeline_.activities.end(),
              [](const Activity& a, const Activity& b) {
                return std::pair(a.span.begin, a.role) < std::pair(b.span.begin, b.role);
              });
    std::sort(timeline_.steps.begin(), timeline_.steps.end(),
              [](const StepSpan& a, const StepSpan& b) { return a.span.begin < b.span.begin; });
    return std::move(timeline_);
  }

 private:
  void add_span(const TraceEvent& event) {
    const TraceCategory category = trace_category(event);
    const std::optional<TimeInterval> span = span_of(event);
    if (category == TraceCategory::kOther || !span || !is_within_limit(*span)) return;
    if (const auto step = step_number(event.name)) {
      return add_step(event, *step, *span);
    }
    Activity activity;
    activity.span = *span;
    activity.correlation = event.correlation;
    activity.external_id = event.external_id;
    activity.process = event.process;
    activity.lane = event.thread;
    activity.name = timeline_.names.id(event.name);
    activity.role = role_of(category, event);
    activity.bytes = event.bytes;
    if (!event.shapes.empty()) activity.shapes = timeline_.names.id(event.shapes);
    if (timeline_.accelerator.empty()) timeline_.accelerator = accelerator_of(event.category);
    if (runs_on_gpu(category)) add_device_facts(event, category, activity);
    if (activity.device == kHost && is_communication_operator(event.name)) {
      communication_.insert(event.external_id);
    }
    if (activity.role == Role::kDataLoader && timeline_.steps.empty()) set_main_lane(event);
    timeline_.activities.push_back(activity);
  }

  bool is_within_limit(const TimeInterval& span) {
    const Nanos length = span.length();
    if (length > kMostRecorded - recorded_) return false;
    recorded_ += length;
    return true;
  }

  void add_step(const TraceEvent& event, std::int64_t number, const TimeInterval& span) {
    if (timeline_.steps.empty()) set_main_lane(event);
    timeline_.steps.push_back({number, span});
  }

  void set_main_lane(const TraceEvent& event) {
    timeline_.main_lane = {event.process, event.thread};
  }

  static void add_device_facts(const TraceEvent& event, TraceCategory category,
                               Activity& activity) {
    const std::int64_t device = event.device.value_or(event.process);
    activity.device = static_cast<std::int32_t>(std::clamp<std::int64_t>(device, 0, kLastGpu));
    activity.process = activity.device;
    activity.lane = event.stream.value_or(event.thread);
    activity.blocks_per_sm = static_cast<float>(std::clamp(event.blocks_per_sm, 0.0, 1e9));
    activity.occupancy =
        static_cast<float>(std::clamp(event.occupancy_percent, 0.0, 100.0) / 100.0);
    if (category == TraceCategory::kMemcpy) {
      std::tie(activity.source, activity.target) = copy_ends(event);
    }
  }

  void add_memory(const TraceEvent& event) {
    const bool is_host = event.device_type == kHostDeviceType;
    if (!is_host && (event.device_id < 0 || event.device_id > kLastGpu)) return;
    MemoryPeak& peak =
        is_host ? timeline_.host_peak : gpu_with(static_cast<std::int32_t>(event.device_id)).peak;
    peak.allocated_bytes = std::max(peak.allocated_bytes, event.total_allocated);
    peak.reserved_bytes = std::max(peak.reserved_bytes, event.total_reserved);
  }

  GpuProperties& gpu_with(std::int32_t device) {
    for (GpuProperties& gpu : timeline_.gpus) {
      if (gpu.device == device) return gpu;
    }
    GpuProperties& added = timeline_.gpus.emplace_back();
    added.device = device;
    return added;
  }

  // Runs last: in the file, the operator may follow its kernel.
  void mark_communication() {
    communication_.erase(0);
    for (Activity& activity : timeline_.activities) {
      if (activity.role == Role::kKernel && communication_.contains(activity.external_id)) {
        activity.role = Role::kCommunication;
      }
    }
  }

  void start_at_zero() {
    Nanos first = Nanos::max();
    for (const Activity& activity : timeline_.activities) {
      first = std::min(first, activity.span.begin);
    }
    for (const StepSpan& step : timeline_.steps) first = std::min(first, step.span.begin);
    const auto shift = [first](TimeInterval& span) {
      span = {span.begin - first, span.end - first};
    };
    for (Activity& activity : timeline_.activities) shift(activity.span);
    for (StepSpan& step : timeline_.steps) shift(step.span);
  }

  Timeline timeline_;
  std::unordered_set<std::uint64_t> communication_;  // External ids of communication operators.
  Nanos recorded_{};
};

class MonitoredInput : public ByteInput {
 public:
  MonitoredInput(std::unique_ptr<ByteInput> input, const TraceReadOptions& options)
      : input_(std::move(input)), options_(options) {}

  std::size_t read(std::span<char> into) override {
    if (options_.stop.stop_requested()) throw Cancelled();
    const std::size_t count = input_->read(into);
    if (options_.on_progress) options_.on_progress(consumed(), size());
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return input_->consumed(); }
  [[nodiscard]] std::uint64_t size() const override { return input_->size(); }
  [[nodiscard]] bool is_truncated() const override { return input_->is_truncated(); }

 private:
  const std::unique_ptr<ByteInput> input_;
  const TraceReadOptions& options_;
};

class TraceReader final : private TraceSink {
 public:
  TraceReader(const std::filesystem::path& path, const TraceReadOptions& options)
      : name_(path.string()), input_(open_gzip_or_plain(path), options) {}

  TraceFile run() {
    const TraceDocument document = read_trace_document(input_, *this);
    require_trace(document);
    file_.is_truncated = document.is_truncated || input_.is_truncated();
    file_.damaged_at = document.damaged_at;
    file_.timeline = builder_.finish();
    return std::move(file_);
  }

 private:
  void take_event(TraceEvent& event, bool is_repaired) override {
    ++file_.events;
    file_.repaired += is_repaired ? 1 : 0;
    file_.profiler_ranges += event.category == kProfilerRange ? 1 : 0;
    add_category(event);
    builder_.add(event);
  }
  void take_gpu(GpuProperties gpu) override { builder_.add_gpu(std::move(gpu)); }
  void take_rank(std::uint64_t rank) override { file_.rank = rank; }
  void take_fact(std::string_view name, std::string_view value) override {
    if (value.size() <= kLongestFact && file_.facts.size() < kMostFacts) {
      file_.facts.emplace_back(name, value);
    }
  }

  void require_trace(const TraceDocument& document) const {
    constexpr std::string_view kCure =
        "export one with prof.export_chrome_trace(\"trace.json\") or tensorboard_trace_handler";
    if (!document.has_events) {
      throw FormatError(
          fmt::format("{}: is not a trace of the PyTorch profiler: must be JSON with a list "
                      "\"traceEvents\"; {}",
                      name_, kCure));
    }
    if (builder_.is_empty()) {
      throw FormatError(fmt::format(
          "{}: has no operator, CUDA call or kernel in its {} events{}; {}", name_, file_.events,
          document.damaged_at ? fmt::format(" before damage near byte {}", *document.damaged_at)
                              : "",
          kCure));
    }
  }

  static constexpr std::size_t kMostFacts = 100;
  static constexpr std::size_t kLongestFact = 200;

  const std::string name_;
  MonitoredInput input_;
  TimelineBuilder builder_;
  TraceFile file_;
};

}  // namespace

TraceFile read_trace(const std::filesystem::path& path, const TraceReadOptions& options) {
  return TraceReader(path, options).run();
}

}  // namespace feedrate
