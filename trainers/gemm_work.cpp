// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "trainers/step_work.h"

namespace feedrate {
namespace {

class GemmWork final : public StepWork {
 public:
  GemmWork(Device& device, std::vector<StepGemm> gemms, std::size_t reference_batch,
           Precision precision)
      : device_(device),
        gemms_(std::move(gemms)),
        reference_batch_(static_cast<double>(reference_batch)),
        precision_(precision) {}

  void prepare(std::size_t samples) override {
    if (works_.contains(samples)) return;
    const std::vector<Gemm> gemms = scaled(gemms_, static_cast<double>(samples) / reference_batch_);
    works_[samples] = {device_.prepare_gemms(gemms, precision_), flops_of(gemms)};
  }

  void launch(DeviceStream& stream, std::size_t samples) override {
    prepare(samples);
    stream.run(*works_.at(samples).kernels);
  }

  [[nodiscard]] double flops(std::size_t samples) const override {
    return works_.at(samples).flops;
  }

 private:
  struct Work {
    std::unique_ptr<DeviceWork> kernels;
    double flops;
  };

  Device& device_;
  std::vector<StepGemm> gemms_;
  double reference_batch_;
  Precision precision_;
  std::map<std::size_t, Work> works_;  // By samples.
};

// Large enough that its edges do not matter on any GPU that we know of.
constexpr Gemm kLargeProduct{8192, 8192, 8192, 1};
constexpr Nanos::rep kMostRuns = 500;

}  // namespace

std::unique_ptr<StepWork> make_gemm_work(Device& device, std::vector<StepGemm> gemms,
                                         std::size_t reference_batch, Precision precision) {
  return std::make_unique<GemmWork>(device, std::move(gemms), reference_batch, precision);
}

double measure_gemm_peak(Device& device, Precision precision, Nanos duration) {
  const std::span<const Gemm> gemm(&kLargeProduct, 1);
  const auto work = device.prepare_gemms(gemm, precision);
  const auto begin = device.create_event();
  const auto end = device.create_event();
  DeviceStream& stream = device.default_stream();
  const auto time_of = [&](Nanos::rep runs) {
    stream.run(*work);  // Pays for what is set up lazily, and keeps the device busy.
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
