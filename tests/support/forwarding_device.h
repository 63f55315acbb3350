// A device that hands every call on to another one, for a test to change one of them.
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

}  // namespace feedrate::testing
