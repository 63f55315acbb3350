#include "bench/calibration/device_probes.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "core/statistics.h"
#include "report/format.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

constexpr Nanos kGate = milliseconds(5);  // Longer than it takes to queue what is behind it.
constexpr Nanos kKernelBefore = milliseconds(20);
constexpr Nanos kFullQueue = milliseconds(300);  // Longer than it takes to fill a queue.
constexpr Nanos kBlocked = milliseconds(2);      // A call that takes longer has waited.
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
        stream_(device.create_stream(StreamKind::kNonBlocking)),
        other_(device.create_stream(StreamKind::kNonBlocking)),
        begin_(device.create_event()),
        end_(device.create_event()),
        target_(device.allocate(options.copy_bytes)),
        second_target_(device.allocate(options.copy_bytes)),
        pinned_(device.allocate_host(options.copy_bytes, HostMemory::kPinned)),
        pageable_(device.allocate_host(options.copy_bytes, HostMemory::kPageable)) {
    // Random-looking and resident: copies of untouched pages are copies of one page of zeros.
    for (const HostBuffer* buffer : {&pinned_, &pageable_}) {
      std::memset(buffer->bytes().data(), 0x5a, buffer->size());
    }
  }

  DeviceCalibration run() {
    result_.spec.memory_bytes = device_.info().memory_bytes;
    tell("host calls");
    measure_calls();
    tell("copies by size and memory");
    measure_rates();
    tell("page-locking");
    measure_pinning();
    tell("the launch queue");
    measure_queue();
    tell("copies behind a kernel");
    measure_behind_kernel();
    tell("overlap");
    measure_overlap();
    return std::move(result_);
  }

 private:
  void tell(const char* what) const {
    if (options_.on_progress) options_.on_progress(what);
  }

  void measure_calls() {
    SimulatedDeviceSpec& spec = result_.spec;
    const auto call = [&](const auto& issue) {
      return median_of([&] {
        const Nanos took = host_time(issue);
        stream_->synchronize();
        return took;
      });
    };
    spec.event_call = call([&] { stream_->record(*begin_); });
    spec.copy_call = call([&] { stream_->copy_to_device(target_, pinned_.bytes().first(kSmall)); });
    spec.launch_call = call([&] { stream_->burn(Nanos(0)); });
    // From the record to the end: the call, the latency, and the work of next to nothing.
    spec.copy_latency = std::max(
        Nanos(0), on_device([&] { stream_->copy_to_device(target_, pinned_.bytes().first(1)); }) -
                      spec.copy_call);
    spec.launch_latency =
        std::max(Nanos(0), on_device([&] { stream_->burn(Nanos(0)); }) - spec.launch_call);
  }

  void measure_rates() {
    SimulatedDeviceSpec& spec = result_.spec;
    spec.h2d_rate = rate([&](std::size_t size) {
      return behind_gate([&] { stream_->copy_to_device(target_, pinned_.bytes().first(size)); });
    });
    spec.d2h_rate = rate([&](std::size_t size) {
      return behind_gate([&] { stream_->copy_to_host(pinned_.bytes().first(size), target_); });
    });
    spec.pageable_rate = rate([&](std::size_t size) {
      return median_of([&] {
        const Nanos took =
            host_time([&] { stream_->copy_to_device(target_, pageable_.bytes().first(size)); });
        stream_->synchronize();
        return took;
      });
    });
    for (const std::size_t size : sizes()) find_rates_of(size);
  }

  // By the difference of two sizes, so that no fixed cost counts.
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

  void find_rates_of(std::size_t size) {
    const auto whole = [&](const HostBuffer& source) {
      return median_of([&] {
        return host_time([&] {
          stream_->copy_to_device(target_, source.bytes().first(size));
          stream_->synchronize();
        });
      });
    };
    const auto find = [&](const char* kind, Nanos took) {
      find_out(fmt::format("copy of {} from {} memory, call to end", size_text(size), kind),
               fmt::format("{}, {:.2f} GB/s", format_value(to_seconds(took), Unit::kSeconds),
                           static_cast<double>(size) / to_seconds(took) * 1e-9));
    };
    find("pinned", whole(pinned_));
    find("pageable", whole(pageable_));
  }

  void measure_pinning() {
    const auto cost = [&](std::size_t size) {
      return median_of([&] {
        HostBuffer buffer;
        return host_time([&] { buffer = device_.allocate_host(size, HostMemory::kPinned); });
      });
    };
    const Nanos small = cost(kPinnedSmall);
    const Nanos large = cost(options_.copy_bytes);
    SimulatedDeviceSpec& spec = result_.spec;
    spec.pin_seconds_per_byte = std::max(
        0.0, to_seconds(large - small) / static_cast<double>(options_.copy_bytes - kPinnedSmall));
    spec.pin_base = std::max(Nanos(0), small - from_seconds(spec.pin_seconds_per_byte *
                                                            static_cast<double>(kPinnedSmall)));
  }

  void measure_queue() {
    stream_->burn(kFullQueue);
    std::size_t queued = 1;
    while (queued < kMostQueued && host_time([&] { stream_->burn(Nanos(0)); }) < kBlocked) ++queued;
    stream_->synchronize();
    result_.spec.queue_depth = queued;
  }

  // The literature disagrees on whether a pageable copy waits for the kernels before it.
  void measure_behind_kernel() {
    constexpr std::array<std::size_t, 4> kSizes = {std::size_t{64} << 10, std::size_t{65} << 10,
                                                   std::size_t{1} << 20, std::size_t{32} << 20};
    for (const HostBuffer* source : {&pinned_, &pageable_}) {
      for (const std::size_t size : kSizes) {
        if (size > options_.copy_bytes) continue;
        find_behind_kernel(*source, size, *stream_, "of its stream");
        find_behind_kernel(*source, size, *other_, "of another stream");
      }
    }
  }

  void find_behind_kernel(const HostBuffer& source, std::size_t size, DeviceStream& kernel_stream,
                          const char* whose) {
    kernel_stream.burn(kKernelBefore);
    const Nanos took =
        host_time([&] { stream_->copy_to_device(target_, source.bytes().first(size)); });
    device_.synchronize();
    find_out(fmt::format("call of a {} copy of {} behind a kernel of 20 ms {} returns after",
                         source.kind() == HostMemory::kPinned ? "pinned" : "pageable",
                         size_text(size), whose),
             format_value(to_seconds(took), Unit::kSeconds));
  }

  void measure_overlap() {
    const Nanos copy = together({true, false, false, false});
    const auto share_hidden = [&](Nanos other, Nanos both) {
      const double least = to_seconds(std::min(copy, other));
      return fmt::format("{:.0f} %", 100 * to_seconds(copy + other - both) / least);
    };
    const Nanos kernel = together({false, true, false, false});
    find_out("copy hidden under a kernel of another stream",
             share_hidden(kernel, together({true, true, false, false})));
    find_out("copy hidden under another copy to the device",
             share_hidden(copy, together({true, false, true, false})));
    const Nanos back = together({false, false, false, true});
    find_out("copy hidden under a copy back to the host",
             share_hidden(back, together({true, false, false, true})));
  }

  struct Parts {
    bool to_device, kernel, to_device_too, to_host;
  };

  Nanos together(Parts parts) {
    const std::size_t half = options_.copy_bytes / 2;
    return median_of([&] {
      return host_time([&] {
        if (parts.to_device) stream_->copy_to_device(target_, pinned_.bytes().first(half));
        if (parts.kernel) other_->burn(kKernelBefore);
        if (parts.to_device_too) {
          other_->copy_to_device(second_target_, pinned_.bytes().last(half));
        }
        if (parts.to_host) other_->copy_to_host(pinned_.bytes().last(half), second_target_);
        device_.synchronize();
      });
    });
  }

  // On the device, from before the call to the end of its work, which starts at once.
  template <typename Issue>
  Nanos on_device(const Issue& issue) {
    return median_of([&] {
      stream_->record(*begin_);
      issue();
      return until_end();
    });
  }

  // On the device, of the work alone: it is queued while a kernel runs before it.
  template <typename Issue>
  Nanos behind_gate(const Issue& issue) {
    return median_of([&] {
      stream_->burn(kGate);
      stream_->record(*begin_);
      issue();
      return until_end();
    });
  }

  Nanos until_end() {
    stream_->record(*end_);
    stream_->synchronize();
    return device_.elapsed(*begin_, *end_);
  }

  template <typename Work>
  Nanos host_time(const Work& work) const {
    const Nanos before = device_.clock().now();
    work();
    return device_.clock().now() - before;
  }

  template <typename Time>
  Nanos median_of(const Time& time) const {
    std::vector<double> times;
    static_cast<void>(time());  // The first one pays for what is set up lazily.
    for (std::size_t i = 0; i < options_.repeats; ++i) times.push_back(to_seconds(time()));
    return from_seconds(median(times));
  }

  void find_out(std::string what, std::string value) {
    result_.findings.push_back({std::move(what), std::move(value)});
  }

  Device& device_;
  const DeviceProbeOptions& options_;
  std::unique_ptr<DeviceStream> stream_, other_;
  std::unique_ptr<DeviceEvent> begin_, end_;
  DeviceBuffer target_, second_target_;
  HostBuffer pinned_, pageable_;
  DeviceCalibration result_;
};

}  // namespace

DeviceCalibration calibrate_device(Device& device, const DeviceProbeOptions& options) {
  return DeviceProbes(device, options).run();
}

}  // namespace feedrate
