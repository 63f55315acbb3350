// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/simulated_device.h"

#include <atomic>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "device/checks.h"
#include "device/host_memory.h"
#include "device/simulated/capture.h"
#include "device/simulated/driver.h"
#include "device/simulated/kernels.h"

namespace feedrate {
namespace {

class SimulatedEvent final : public DeviceEvent {
 public:
  explicit SimulatedEvent(SimulatedDriver& driver) : driver_(driver) {}

  [[nodiscard]] bool query() const override { return driver_.clock().now() >= happens_at(); }
  void synchronize() const override { driver_.wait_until(happens_at()); }

  void set(Nanos at) noexcept { at_ = at.count(); }
  [[nodiscard]] bool recorded() const noexcept { return at_ != kNever; }
  /// In the past if never recorded, so that waiting for it is a no-op.
  [[nodiscard]] Nanos happens_at() const noexcept { return Nanos(at_); }

 private:
  static constexpr Nanos::rep kNever = -1;  // clocks begin at zero
  SimulatedDriver& driver_;
  std::atomic<Nanos::rep> at_ = kNever;
};

class SimulatedStream final : public DeviceStream {
 public:
  SimulatedStream(SimulatedDriver& driver, StreamId id) : driver_(driver), id_(id) {}
  SimulatedStream(const SimulatedStream&) = delete;
  SimulatedStream& operator=(const SimulatedStream&) = delete;
  ~SimulatedStream() override {
    if (id_ != kDefaultStream) driver_.destroy_stream(id_);
  }

  void copy_to_device(const DeviceBuffer& target, Bytes source) override {
    require_fits(driver_.spec().name, source.size(), target.size());
    driver_.copy_to_device(id_, target.data(), source);
  }
  void copy_to_host(MutableBytes target, const DeviceBuffer& source) override {
    require_fits(driver_.spec().name, target.size(), source.size());
    driver_.copy_to_host(id_, target, source.data());
  }
  void copy_on_device(const DeviceBuffer& target, const DeviceBuffer& source) override {
    require_fits(driver_.spec().name, source.size(), target.size());
    driver_.copy_on_device(id_, target.data(), source.data(), source.size());
  }
  void burn(Nanos duration) override { driver_.launch(id_, duration); }
  void run(const DeviceWork& work) override {
    for (const Nanos duration : static_cast<const SimulatedWork&>(work).launches()) {
      driver_.launch(id_, duration);
    }
  }
  void normalize(const DeviceBuffer& target, const DeviceBuffer& source, const ImageBatch& batch,
                 const PixelValues& values) override {
    require_images(driver_.spec().name, batch, source.size(), target.size());
    driver_.normalize(id_, target.data(), source.data(), batch, values);
  }
  void transform(const DeviceBuffer& target, const DeviceBuffer& source,
                 std::span<const PlannedImage> images, const ImageOutput& output,
                 const PixelValues& values) override {
    require_planned(driver_.spec().name, images, output, source.size(), target.size());
    driver_.transform(id_, target.data(), source.data(), images, output, values);
  }
  void record(DeviceEvent& event) override {
    static_cast<SimulatedEvent&>(event).set(driver_.record(id_));
  }
  void wait(const DeviceEvent& event) override {
    driver_.wait(id_, static_cast<const SimulatedEvent&>(event).happens_at());
  }
  void synchronize() override { driver_.synchronize(id_); }

  [[nodiscard]] StreamId id() const noexcept { return id_; }

 private:
  SimulatedDriver& driver_;
  StreamId id_;
};

class SimulatedJpegDecoder final : public JpegDecoder {
 public:
  explicit SimulatedJpegDecoder(SimulatedDriver& driver) : driver_(driver) {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  void decode(DeviceStream& stream, const DeviceBuffer& target,
              std::span<const EncodedImage> images) override {
    require_decoded_fits(driver_.spec().name, images, target.size());
    driver_.decode(static_cast<SimulatedStream&>(stream).id(), target.data(), images);
  }

 private:
  SimulatedDriver& driver_;
  const std::string name_ = "simulated";
};

class SimulatedDevice final : public Device {
 public:
  SimulatedDevice(SimulatedDeviceSpec spec, Clock& clock)
      : driver_(std::move(spec), clock), info_(describe(driver_.spec())) {}

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] Clock& clock() const noexcept override { return driver_.clock(); }

  [[nodiscard]] HostBuffer allocate_host(std::size_t size, HostMemory kind) override {
    return kind == HostMemory::kPinned ? driver_.allocate_pinned(size) : allocate_pageable(size);
  }
  [[nodiscard]] DeviceBuffer allocate(std::size_t size) override { return driver_.allocate(size); }
  [[nodiscard]] std::size_t pinned_bytes() const override { return driver_.pinned_bytes(); }

  [[nodiscard]] DeviceStream& default_stream() override { return default_stream_; }
  [[nodiscard]] std::unique_ptr<DeviceStream> create_stream(StreamKind kind) override {
    return std::make_unique<SimulatedStream>(driver_, driver_.create_stream(kind));
  }
  [[nodiscard]] std::unique_ptr<DeviceEvent> create_event() override {
    return std::make_unique<SimulatedEvent>(driver_);
  }

  [[nodiscard]] std::unique_ptr<DeviceWork> prepare_gemms(std::span<const Gemm> gemms,
                                                          Precision precision) override {
    return make_simulated_gemms(driver_.spec(), gemms, precision);
  }
  [[nodiscard]] std::unique_ptr<JpegDecoder> open_jpeg_decoder() override {
    const std::string why_not = why_no_jpeg_decoder(driver_.spec());
    if (!why_not.empty()) throw DeviceError(why_not);
    return std::make_unique<SimulatedJpegDecoder>(driver_);
  }
  [[nodiscard]] std::unique_ptr<DeviceWork> capture(
      const std::function<void(DeviceStream&)>& issue) override {
    return capture_simulated(driver_.spec(), issue);
  }

  [[nodiscard]] Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    return finished(to) - finished(from);
  }
  void synchronize() override { driver_.synchronize(); }

 private:
  static DeviceInfo describe(const SimulatedDeviceSpec& spec) {
    return {.name = "simulated: " + spec.name,
            .backend = "simulated",
            .simulated = true,
            .memory_bytes = spec.memory_bytes,
            .details = fmt::format("H2D {:g} GB/s, D2H {:g} GB/s, pageable {:g} GB/s ({})",
                                   spec.h2d_rate * 1e-9, spec.d2h_rate * 1e-9,
                                   spec.pageable_rate * 1e-9, spec.source)};
  }

  [[nodiscard]] Nanos finished(const DeviceEvent& event) const {
    const auto& own = static_cast<const SimulatedEvent&>(event);
    if (!own.recorded()) throw DeviceError(info_.name + ": elapsed: the event is not recorded");
    if (!own.query()) {
      throw DeviceError(info_.name +
                        ": elapsed: the event is not ready; synchronize with it first");
    }
    return own.happens_at();
  }

  SimulatedDriver driver_;
  DeviceInfo info_;
  SimulatedStream default_stream_{driver_, kDefaultStream};
};

void require(bool possible, const SimulatedDeviceSpec& spec, std::string_view rule) {
  if (!possible) throw ConfigError(fmt::format("simulated device {}: {}", spec.name, rule));
}

}  // namespace

std::unique_ptr<Device> make_simulated_device(SimulatedDeviceSpec spec, Clock& clock) {
  const auto positive = [](double rate) { return rate > 0; };
  require(positive(spec.h2d_rate), spec, "h2d_rate must be above 0");
  require(positive(spec.d2h_rate), spec, "d2h_rate must be above 0");
  require(positive(spec.pageable_rate), spec, "pageable_rate must be above 0");
  require(spec.stage_bytes > 0, spec, "stage_bytes must be above 0");
  require(spec.queue_depth > 0, spec, "queue_depth must be above 0");
  require(positive(spec.memory_rate), spec, "memory_rate must be above 0");
  require(positive(spec.efficiency), spec, "efficiency must be above 0");
  return std::make_unique<SimulatedDevice>(std::move(spec), clock);
}

}  // namespace feedrate
