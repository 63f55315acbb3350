// SPDX-License-Identifier: Apache-2.0
// A device that forwards every call to another one, so that a test can override some.
#pragma once
#include <functional>
#include <memory>

#include "device/device.h"

namespace feedrate::testing {

class ForwardingDevice : public Device {
 public:
  explicit ForwardingDevice(Device& device) : device_(device) {}

  const DeviceInfo& info() const noexcept override { return device_.info(); }
  Clock& clock() const noexcept override { return device_.clock(); }
  HostBuffer allocate_host(std::size_t size, HostMemory kind) override {
    return device_.allocate_host(size, kind);
  }
  DeviceBuffer allocate(std::size_t size) override { return device_.allocate(size); }
  std::size_t pinned_bytes() const override { return device_.pinned_bytes(); }
  DeviceStream& default_stream() override { return device_.default_stream(); }
  std::unique_ptr<DeviceStream> create_stream(StreamKind kind) override {
    return device_.create_stream(kind);
  }
  std::unique_ptr<DeviceEvent> create_event() override { return device_.create_event(); }
  std::unique_ptr<DeviceWork> prepare_gemms(std::span<const Gemm> gemms,
                                            Precision precision) override {
    return device_.prepare_gemms(gemms, precision);
  }
  std::unique_ptr<JpegDecoder> open_jpeg_decoder() override { return device_.open_jpeg_decoder(); }
  std::unique_ptr<DeviceWork> capture(const std::function<void(DeviceStream&)>& issue) override {
    return device_.capture(issue);
  }
  Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    return device_.elapsed(from, to);
  }
  void synchronize() override { device_.synchronize(); }

 private:
  Device& device_;
};

class ForwardingStream : public DeviceStream {
 public:
  explicit ForwardingStream(DeviceStream& stream) : stream_(stream) {}

  void copy_to_device(const DeviceBuffer& target, Bytes source) override {
    stream_.copy_to_device(target, source);
  }
  void copy_to_host(MutableBytes target, const DeviceBuffer& source) override {
    stream_.copy_to_host(target, source);
  }
  void copy_on_device(const DeviceBuffer& target, const DeviceBuffer& source) override {
    stream_.copy_on_device(target, source);
  }
  void burn(Nanos duration) override { stream_.burn(duration); }
  void run(const DeviceWork& work) override { stream_.run(work); }
  void normalize(const DeviceBuffer& target, const DeviceBuffer& source, const ImageBatch& batch,
                 const PixelValues& values) override {
    stream_.normalize(target, source, batch, values);
  }
  void transform(const DeviceBuffer& target, const DeviceBuffer& source,
                 std::span<const PlannedImage> images, const ImageOutput& output,
                 const PixelValues& values) override {
    stream_.transform(target, source, images, output, values);
  }
  void record(DeviceEvent& event) override { stream_.record(event); }
  void wait(const DeviceEvent& event) override { stream_.wait(event); }
  void synchronize() override { stream_.synchronize(); }

 private:
  DeviceStream& stream_;
};

}  // namespace feedrate::testing
