// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/device_probes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "bench/calibration/device_timer.h"
#include "bench/calibration/kernel_probes.h"
#include "core/clock.h"
#include "core/format.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

constexpr Nanos kKernelBefore = milliseconds(20);
constexpr Nanos kFullQueue = milliseconds(300);  // longer than filling the queue takes
constexpr Nanos kBlocked = milliseconds(20);     // a longer call has waited
constexpr std::size_t kMostQueued = 20'000;
constexpr std::size_t kSmall = 4096;
constexpr std::size_t kPinnedSmall = std::size_t{1} << 20;

std::string size_text(std::size_t bytes) {
  return bytes < kPinnedSmall ? fmt::format("{} KiB", bytes >> 10)
                              : fmt::format("{} MiB", bytes >> 20);
}

class DeviceProbes {
 public:
  DeviceProbes(Device& device, const DeviceProbeOptions& options)
      : device_(device),
        options_(options),
        timer_(device, options.repeats),
        stream_(timer_.stream()),
        other_(device.create_stream(StreamKind::kNonBlocking)),
        event_(device.create_event()),
        target_(device.allocate(options.copy_bytes)),
        second_target_(device.allocate(options.copy_bytes)),
        pinned_(device.allocate_host(options.copy_bytes, HostMemory::kPinned)),
        pageable_(device.allocate_host(options.copy_bytes, HostMemory::kPageable)) {
    // Writes to all pages: untouched pages would all map to one page of zeros.
    for (const HostBuffer* buffer : {&pinned_, &pageable_}) {
      std::memset(buffer->bytes().data(), 0x5a, buffer->size());
    }
  }

  DeviceCalibration run() {
    result_.spec.memory_bytes = device_.info().memory_bytes;
    report_progress("host calls");
    measure_calls();
    report_progress("copies by size and memory");
    measure_rates();
    report_progress("page-locking");
    measure_pinning();
    report_progress("kernels");
    probe_kernels(device_, timer_, target_, second_target_, result_);
    report_progress("the launch queue");
    measure_queue();
    report_progress("waiting");
    measure_waiting();
    report_progress("copies queued after a kernel");
    measure_behind_kernel();
    report_progress("overlap");
    measure_overlap();
    return std::move(result_);
  }

 private:
  void report_progress(const char* what) const {
    if (options_.on_progress) options_.on_progress(what);
  }

  void measure_calls() {
    SimulatedDeviceSpec& spec = result_.spec;
    const auto call = [&](const auto& issue) {
      return timer_.median_of([&] {
        const Nanos took = timer_.host_time(issue);
        stream_.synchronize();
        return took;
      });
    };
    spec.event_call = call([&] { stream_.record(*event_); });
    spec.copy_call = call([&] { stream_.copy_to_device(target_, pinned_.bytes().first(kSmall)); });
    spec.launch_call = call([&] { stream_.burn(Nanos(0)); });
    spec.copy_latency = std::max(Nanos(0), timer_.on_device([&] {
      stream_.copy_to_device(target_, pinned_.bytes().first(1));
    }) - spec.copy_call);
    spec.launch_latency =
        std::max(Nanos(0), timer_.on_device([&] { stream_.burn(Nanos(0)); }) - spec.launch_call);
  }

  void measure_rates() {
    SimulatedDeviceSpec& spec = result_.spec;
    spec.h2d_rate = rate([&](std::size_t size) {
      return timer_.behind_gate(
          [&] { stream_.copy_to_device(target_, pinned_.bytes().first(size)); });
    });
    spec.d2h_rate = rate([&](std::size_t size) {
      return timer_.behind_gate(
          [&] { stream_.copy_to_host(pinned_.bytes().first(size), target_); });
    });
    spec.pageable_rate = rate([&](std::size_t size) {
      return timer_.median_of([&] {
        const Nanos took = timer_.host_time(
            [&] { stream_.copy_to_device(target_, pageable_.bytes().first(size)); });
        stream_.synchronize();
        return took;
      });
    });
    for (const std::size_t size : sizes()) add_copy_findings(size);
  }

  // Uses the difference of two sizes, which cancels fixed costs.
  template <typename Time>
  double rate(const Time& time_of) const {
    const std::size_t large = options_.copy_bytes;
    const std::size_t small = large / 4;
    const Nanos longer = time_of(large) - time_of(small);
    return static_cast<double>(large - small) / std::max(to_seconds(longer), 1e-12);
  }

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> all;
    for (std::size_t size = kSmall; size <= options_.copy_bytes; size *= 16) all.push_back(size);
    return all;
  }

  void add_copy_findings(std::size_t size) {
    const auto whole = [&](const HostBuffer& source) {
      return timer_.median_of([&] {
        return timer_.host_time([&] {
          stream_.copy_to_device(target_, source.bytes().first(size));
          stream_.synchronize();
        });
      });
    };
    const auto find = [&](const char* kind, Nanos took) {
      add_finding(fmt::format("copy of {} from {} memory, call to end", size_text(size), kind),
                  fmt::format("{}, {:.2f} GB/s", format_value(to_seconds(took), Unit::kSeconds),
                              static_cast<double>(size) / to_seconds(took) * 1e-9));
    };
    find("pinned", whole(pinned_));
    find("pageable", whole(pageable_));
  }

  void measure_pinning() {
    const auto cost = [&](std::size_t size) {
      return timer_.median_of([&] {
        HostBuffer buffer;
        return timer_.host_time([&] { buffer = device_.allocate_host(size, HostMemory::kPinned); });
      });
    };
    const Nanos small = cost(kPinnedSmall);
    const Nanos large = cost(options_.copy_bytes);
    const double each = std::max(
        0.0, to_seconds(large - small) / static_cast<double>(options_.copy_bytes - kPinnedSmall));
    const Nanos of_bytes = from_seconds(each * static_cast<double>(kPinnedSmall));
    result_.spec.pin_base = std::max(Nanos(0), small - of_bytes);
    result_.spec.pin_seconds_per_byte = each;
  }

  // Takes the median of three, because a host that sleeps within a call looks like a full queue.
  void measure_queue() {
    std::array<std::size_t, 3> depths{};
    for (std::size_t& queued : depths) {
      stream_.burn(kFullQueue);
      queued = 1;
      while (queued < kMostQueued && timer_.host_time([&] { stream_.burn(Nanos(0)); }) < kBlocked)
        ++queued;
      stream_.synchronize();
    }
    std::sort(depths.begin(), depths.end());
    result_.spec.queue_depth = depths[1];
  }

  void measure_waiting() {
    Nanos took{0}, busy{0};
    // Repeated, because another program may use the core during a whole try.
    for (int i = 0; i < 3; ++i) {
      stream_.burn(kKernelBefore);
      const Nanos before = thread_cpu_time();
      took += timer_.host_time([&] { stream_.synchronize(); });
      busy += thread_cpu_time() - before;
    }
    // A spinning thread takes more, even if other programs run.
    result_.spec.auto_spins = busy > took / 10;
  }

  // Sources disagree on whether a pageable copy waits for earlier kernels.
  void measure_behind_kernel() {
    constexpr std::array<std::size_t, 4> kSizes = {std::size_t{64} << 10, std::size_t{65} << 10,
                                                   std::size_t{1} << 20, std::size_t{32} << 20};
    for (const HostBuffer* source : {&pinned_, &pageable_}) {
      for (const std::size_t size : kSizes) {
        if (size > options_.copy_bytes) continue;
        add_behind_kernel_finding(*source, size, stream_, "on the same stream");
        add_behind_kernel_finding(*source, size, *other_, "on another stream");
      }
    }
  }

  void add_behind_kernel_finding(const HostBuffer& source, std::size_t size,
                                 DeviceStream& kernel_stream, const char* whose) {
    kernel_stream.burn(kKernelBefore);
    const Nanos took =
        timer_.host_time([&] { stream_.copy_to_device(target_, source.bytes().first(size)); });
    device_.synchronize();
    add_finding(fmt::format("call of a {} copy of {} queued after a 20 ms kernel {} returns after",
                            source.kind() == HostMemory::kPinned ? "pinned" : "pageable",
                            size_text(size), whose),
                format_value(to_seconds(took), Unit::kSeconds));
  }

  void measure_overlap() {
    const Nanos copy = together({true, false, false, false});
    const auto share_hidden = [&](Nanos other, Nanos both) {
      const double least = to_seconds(std::min(copy, other));
      return fmt::format("{} %", std::lround(100 * to_seconds(copy + other - both) / least));
    };
    const Nanos kernel = together({false, true, false, false});
    add_finding("copy overlapped by a kernel on another stream",
                share_hidden(kernel, together({true, true, false, false})));
    add_finding("copy overlapped by another copy to the device",
                share_hidden(copy, together({true, false, true, false})));
    const Nanos back = together({false, false, false, true});
    add_finding("copy overlapped by a copy to the host",
                share_hidden(back, together({true, false, false, true})));
  }

  struct Parts {
    bool to_device, kernel, to_device_too, to_host;
  };

  Nanos together(Parts parts) {
    const std::size_t half = options_.copy_bytes / 2;
    return timer_.median_of([&] {
      return timer_.host_time([&] {
        if (parts.to_device) stream_.copy_to_device(target_, pinned_.bytes().first(half));
        if (parts.kernel) other_->burn(kKernelBefore);
        if (parts.to_device_too) {
          other_->copy_to_device(second_target_, pinned_.bytes().last(half));
        }
        if (parts.to_host) other_->copy_to_host(pinned_.bytes().last(half), second_target_);
        device_.synchronize();
      });
    });
  }

  void add_finding(std::string what, std::string value) {
    result_.findings.push_back({std::move(what), std::move(value)});
  }

  Device& device_;
  const DeviceProbeOptions& options_;
  DeviceTimer timer_;
  DeviceStream& stream_;
  std::unique_ptr<DeviceStream> other_;
  std::unique_ptr<DeviceEvent> event_;
  DeviceBuffer target_, second_target_;
  HostBuffer pinned_, pageable_;
  DeviceCalibration result_;
};

}  // namespace

DeviceCalibration calibrate_device(Device& device, const DeviceProbeOptions& options) {
  return DeviceProbes(device, options).run();
}

}  // namespace feedrate
