// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "bench/trainers/step_work.h"

namespace feedrate {
namespace {

class GemmWork final : public StepWork {
 public:
  GemmWork(Device& device, ModelStep step) : device_(device), step_(std::move(step)) {}

  void prepare(std::size_t samples) override {
    if (works_.contains(samples)) return;
    const double share = static_cast<double>(samples) / static_cast<double>(step_.reference_batch);
    const std::vector<Gemm> gemms = scaled(step_.gemms, share);
    Work& work = works_[samples];
    work.kernels = device_.prepare_gemms(gemms, step_.precision);
    work.flops = flops_of(gemms);
    for (const StepPass& pass : step_.passes) add_copies(work, pass, share);
  }

  void launch(DeviceStream& stream, std::size_t samples) override {
    prepare(samples);
    const Work& work = works_.at(samples);
    stream.run(*work.kernels);
    for (const DeviceBuffer* source : work.copied) stream.copy_on_device(target_, *source);
  }

  [[nodiscard]] double flops(std::size_t samples) const override {
    return works_.at(samples).flops;
  }

 private:
  struct Work {
    std::unique_ptr<DeviceWork> kernels;
    double flops = 0;
    std::vector<const DeviceBuffer*> copied = {};  ///< one entry per pass
  };

  // Divides by 2, since a copied byte is read and written.
  void add_copies(Work& work, const StepPass& pass, double share) {
    const double moved = pass.bytes_moved(share, step_.precision);
    const auto size = static_cast<std::size_t>(std::llround(moved / 2.0 / kPassEfficiency));
    if (size == 0) return;
    DeviceBuffer& source = sources_[size];
    if (source.size() < size) source = device_.allocate(size);
    if (target_.size() < size) target_ = device_.allocate(size);
    work.copied.insert(work.copied.end(), static_cast<std::size_t>(pass.count), &source);
  }

  Device& device_;
  ModelStep step_;
  std::map<std::size_t, DeviceBuffer> sources_;  // Indexed by size.
  DeviceBuffer target_;
  std::map<std::size_t, Work> works_;  // Indexed by samples.
};

// Large enough that edge effects do not matter on current GPUs.
constexpr Gemm kLargeProduct{8192, 8192, 8192, 1};
constexpr Nanos::rep kMostRuns = 500;

}  // namespace

std::unique_ptr<StepWork> make_gemm_work(Device& device, ModelStep step) {
  return std::make_unique<GemmWork>(device, std::move(step));
}

double measure_gemm_peak(Device& device, Precision precision, Nanos duration) {
  const std::span<const Gemm> gemm(&kLargeProduct, 1);
  const auto work = device.prepare_gemms(gemm, precision);
  const auto begin = device.create_event();
  const auto end = device.create_event();
  DeviceStream& stream = device.default_stream();
  const auto time_of = [&](Nanos::rep runs) {
    stream.run(*work);  // Runs lazy initialization and keeps the device busy.
    stream.record(*begin);
    for (Nanos::rep i = 0; i < runs; ++i) stream.run(*work);
    stream.record(*end);
    end->synchronize();
    return device.elapsed(*begin, *end);
  };
  const Nanos once = std::max(time_of(1), Nanos(1));
  const Nanos::rep runs = std::clamp(duration / once, Nanos::rep{1}, kMostRuns);
  return flops_of(gemm) * static_cast<double>(runs) / to_seconds(time_of(runs));
}

}  // namespace feedrate
