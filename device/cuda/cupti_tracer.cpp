// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_tracer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/clock.h"
#include "device/cuda/cupti_buffers.h"
#include "device/cuda/cupti_clock.h"
#include "device/cuda/cupti_library.h"
#include "device/cuda/cupti_parser.h"

namespace feedrate {
namespace {

using namespace cupti;

constexpr std::size_t kMaxBuffers = 32;  // 128 MiB, above a million records
constexpr std::uint32_t kFlushForced = 1;
constexpr std::uint32_t kSystemThreadIds = 1;

struct NamedKind {
  std::uint32_t kind;
  std::string_view name;
};
constexpr std::array kNeeded = {NamedKind{kMemcpy, "MEMCPY"},
                                NamedKind{kConcurrentKernel, "CONCURRENT_KERNEL"}};
constexpr std::array<std::uint32_t, 3> kOptional = {kMemset, kSynchronization, kOverhead};

// Only calls that start work or wait (CUpti_runtime_api_trace_cbid): loops query events very often.
constexpr std::array<std::uint32_t, 18> kRuntimeCalls = {
    31,        // cudaMemcpy
    41,  225,  // cudaMemcpyAsync, and on the per-thread default stream
    51,  235,  // cudaMemsetAsync
    131, 239,  // cudaStreamSynchronize
    137,       // cudaEventSynchronize
    147, 247,  // cudaStreamWaitEvent
    165,       // cudaDeviceSynchronize
    211, 214,  // cudaLaunchKernel
    311, 312,  // cudaGraphLaunch
    430,       // cudaLaunchKernelExC
    505, 506,  // cudaLaunchKernel in programs built with CUDA 13
};

// CUPTI's callbacks carry no user pointer, and CUPTI keeps them until the process ends, so this
// state is never freed. One recording at a time uses it.
struct Shared {
  std::atomic<bool> recording = false;
  Buffers buffers{kMaxBuffers};
  std::atomic<NextRecord*> next_record = nullptr;
  std::atomic<std::uint64_t> dropped = 0;
};

Shared& shared() {
  static Shared* const kShared = new Shared;
  return *kShared;
}

// Running out of memory ends the program here: CUPTI accepts neither an exception nor a refusal.
void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) noexcept {
  *buffer = shared().buffers.lend();
  *size = Buffers::kBufferBytes;
  *most_records = 0;  // As many as fit.
}

void complete_buffer(void* /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                     std::size_t /*size*/, std::size_t valid) noexcept {
  const Buffers::Filled refused = shared().buffers.take_back(buffer, valid);
  if (refused.memory) {
    shared().dropped += count_records(shared().next_record, refused.bytes());
  }
}

std::uint64_t host_timestamp() noexcept {
  return static_cast<std::uint64_t>(SteadyClock().now().count());
}

class CuptiTracer final : public ActivityTracer {
 public:
  explicit CuptiTracer(Library library) : library_(std::move(library)), api_(library_.api) {}

  ~CuptiTracer() override {
    ActivityTrace unread;
    static_cast<void>(end(unread));
  }

  const std::string& library_name() const noexcept { return library_.file.name(); }

  /// Returns why it failed; empty on success.
  std::string start() {
    shared().next_record = api_.activity_get_next_record;
    shared().dropped = 0;
    shared().buffers.open();
    std::string problem = set_clock();
    if (problem.empty()) problem = register_callbacks();
    if (problem.empty()) problem = enable_all();
    static_cast<void>(take_dropped());  // Discards earlier counts.
    return problem;
  }

  ActivityTrace stop() override {
    ActivityTrace trace;
    const std::vector<Buffers::Filled> filled = end(trace);
    Parser parser(
        {.next_record = api_.activity_get_next_record,
         .host_time = host_time(),
         .call_name = [this](std::uint32_t call) { return runtime_call_name(api_, call); }},
        trace);
    for (const Buffers::Filled& buffer : filled) parser.parse(buffer.bytes());
    std::stable_sort(
        trace.activities.begin(), trace.activities.end(),
        [](const DeviceActivity& a, const DeviceActivity& b) { return a.begin < b.begin; });
    return trace;
  }

 private:
  std::string failure(std::string_view call, int result) const {
    return fmt::format("{}: loaded, but cannot trace: {}: {}", library_.file.name(), call,
                       describe_result(api_, result));
  }

  // Runs before anything is enabled, so that all records have times of one clock.
  std::string set_clock() {
    if (api_.set_thread_id_type) static_cast<void>(api_.set_thread_id_type(kSystemThreadIds));
    const auto set = api_.activity_register_timestamp_callback;
    has_host_clock_ = set != nullptr && set(host_timestamp) == kSuccess;
    if (has_host_clock_) return "";
    first_ = take_clock_pair(api_);
    if (first_) return "";
    return fmt::format("{}: loaded, but its clock can be neither set nor read",
                       library_.file.name());
  }

  std::string register_callbacks() const {
    const int result = api_.activity_register_callbacks(request_buffer, complete_buffer);
    return result == kSuccess ? "" : failure("cuptiActivityRegisterCallbacks", result);
  }

  std::string enable_all() {
    for (const NamedKind& needed : kNeeded) {
      const int result = enable(needed.kind);
      if (result != kSuccess) {
        return failure(fmt::format("cuptiActivityEnable({})", needed.name), result);
      }
    }
    for (const std::uint32_t kind : kOptional) static_cast<void>(enable(kind));
    enable_runtime_calls();
    return "";
  }

  int enable(std::uint32_t kind) {
    const int result = api_.activity_enable(kind);
    if (result == kSuccess) enabled_.push_back(kind);
    return result;
  }

  // CUPTI refuses a call number that it does not know, which is harmless.
  void enable_runtime_calls() {
    if (api_.activity_enable_runtime_api) {
      for (const std::uint32_t call : kRuntimeCalls) {
        if (api_.activity_enable_runtime_api(call, 1) == kSuccess) enabled_calls_.push_back(call);
      }
    }
    if (enabled_calls_.empty()) static_cast<void>(enable(kRuntime));
  }

  /// Returns the recorded buffers, and counts in `trace` what is missing; returns nothing the
  /// second time. CUPTI calls complete_buffer() during the flush, so no lock may be held here.
  std::vector<Buffers::Filled> end(ActivityTrace& trace) {
    if (has_ended_) return {};
    has_ended_ = true;
    disable_all();
    const int flushed = enabled_.empty() ? kSuccess : api_.activity_flush_all(kFlushForced);
    if (flushed != kSuccess) trace.problem = failure("cuptiActivityFlushAll", flushed);
    if (!has_host_clock_) last_ = take_clock_pair(api_);
    std::vector<Buffers::Filled> filled = shared().buffers.close();
    trace.dropped = shared().dropped + take_dropped();
    shared().recording = false;
    return filled;
  }

  // A kind that cannot be disabled records into buffers that are discarded.
  void disable_all() const {
    for (const std::uint32_t call : enabled_calls_) {
      static_cast<void>(api_.activity_enable_runtime_api(call, 0));
    }
    for (const std::uint32_t kind : enabled_) static_cast<void>(api_.activity_disable(kind));
  }

  std::uint64_t take_dropped() const {
    std::size_t dropped = 0;
    const auto count = api_.activity_get_num_dropped_records;
    if (count == nullptr || count(nullptr, 0, &dropped) != kSuccess) return 0;
    return dropped;
  }

  std::function<Nanos(std::uint64_t)> host_time() const {
    if (has_host_clock_) {
      return [](std::uint64_t time) { return Nanos(static_cast<Nanos::rep>(time)); };
    }
    return [first = *first_, last = last_.value_or(*first_)](std::uint64_t time) {
      return to_host(time, first, last);
    };
  }

  Library library_;
  Api api_;
  bool has_host_clock_ = false;
  bool has_ended_ = false;
  std::optional<ClockPair> first_;  // Set if CUPTI does not accept the host's clock.
  std::optional<ClockPair> last_;
  std::vector<std::uint32_t> enabled_;
  std::vector<std::uint32_t> enabled_calls_;
};

}  // namespace

TracerStarted start_activity_tracing() {
  Library library = open_library();
  if (!library.problem.empty()) return {.problem = std::move(library.problem)};
  if (shared().recording.exchange(true)) {
    return {.problem = fmt::format("{}: is already recording; stop that recording first",
                                   library.file.name())};
  }
  auto tracer = std::make_unique<CuptiTracer>(std::move(library));
  std::string problem = tracer->start();
  if (!problem.empty()) return {.problem = std::move(problem)};
  std::string name = tracer->library_name();
  return {.tracer = std::move(tracer), .library = std::move(name)};
}

std::string describe_activity_tracing() {
  const TracerStarted started = start_activity_tracing();
  return started.tracer ? started.library + ": records" : started.problem;
}

}  // namespace feedrate
