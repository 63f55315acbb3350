// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/capture.h"

#include <algorithm>
#include <numeric>

#include "device/checks.h"
#include "device/simulated/kernels.h"

namespace feedrate {
namespace {

// Adds up the durations of kernels and runs none.
class CapturingStream final : public DeviceStream {
 public:
  explicit CapturingStream(const SimulatedDeviceSpec& spec) : spec_(spec) {}

  void burn(Nanos duration) override { total_ += std::max(duration, Nanos::zero()); }
  void run(const DeviceWork& work) override {
    const auto& launches = static_cast<const SimulatedWork&>(work).launches();
    total_ = std::accumulate(launches.begin(), launches.end(), total_);
  }
  void normalize(const DeviceBuffer& /*target*/, const DeviceBuffer& /*source*/,
                 const ImageBatch& /*batch*/, const PixelValues& /*values*/) override {
    refuse("normalizing");
  }
  void transform(const DeviceBuffer& /*target*/, const DeviceBuffer& /*source*/,
                 std::span<const PlannedImage> /*images*/, const ImageOutput& /*output*/,
                 const PixelValues& /*values*/) override {
    refuse("transforming");
  }
  void copy_to_device(const DeviceBuffer& /*target*/, Bytes /*source*/) override {
    refuse("a copy");
  }
  void copy_to_host(MutableBytes /*target*/, const DeviceBuffer& /*source*/) override {
    refuse("a copy");
  }
  void copy_on_device(const DeviceBuffer& target, const DeviceBuffer& source) override {
    require_fits(spec_.name, source.size(), target.size());
    total_ += device_copy_time(spec_, source.size());
  }
  void record(DeviceEvent& /*event*/) override { refuse("an event"); }
  void wait(const DeviceEvent& /*event*/) override { refuse("waiting for an event"); }
  void synchronize() override { refuse("synchronizing"); }

  [[nodiscard]] Nanos total() const noexcept { return total_; }

 private:
  [[noreturn]] void refuse(const char* what) const { refuse_capture(spec_.name, what); }

  const SimulatedDeviceSpec& spec_;
  Nanos total_{};
};

}  // namespace

std::unique_ptr<DeviceWork> capture_simulated(const SimulatedDeviceSpec& spec,
                                              const std::function<void(DeviceStream&)>& issue) {
  CapturingStream stream(spec);
  issue(stream);
  return std::make_unique<SimulatedWork>(std::vector<Nanos>{stream.total()});
}

}  // namespace feedrate
