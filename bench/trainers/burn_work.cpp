// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <utility>

#include "bench/trainers/step_work.h"

namespace feedrate {
namespace {

class BurnWork final : public StepWork {
 public:
  BurnWork(std::vector<Nanos> references, std::size_t reference_batch)
      : references_(std::move(references)),
        reference_batch_(static_cast<double>(reference_batch)) {}

  void prepare(std::size_t /*samples*/) override {}

  void launch(DeviceStream& stream, std::size_t samples) override {
    const auto reference = static_cast<double>(references_[next_].count());
    next_ = (next_ + 1) % references_.size();
    const double duration = reference / reference_batch_ * static_cast<double>(samples);
    stream.burn(Nanos(std::llround(duration)));
  }

 private:
  std::vector<Nanos> references_;
  double reference_batch_;
  std::size_t next_ = 0;
};

class GraphWork final : public StepWork {
 public:
  GraphWork(Device& device, std::unique_ptr<StepWork> work)
      : device_(device), work_(std::move(work)) {}

  // The first launch may allocate, which is forbidden during capture.
  void prepare(std::size_t samples) override {
    std::unique_ptr<DeviceWork>& graph = graphs_[samples];
    if (graph) return;
    work_->prepare(samples);
    work_->launch(device_.default_stream(), samples);
    device_.synchronize();
    graph = device_.capture([&](DeviceStream& stream) { work_->launch(stream, samples); });
  }

  void launch(DeviceStream& stream, std::size_t samples) override {
    prepare(samples);
    stream.run(*graphs_.at(samples));
  }

  [[nodiscard]] double flops(std::size_t samples) const override { return work_->flops(samples); }

 private:
  Device& device_;
  std::unique_ptr<StepWork> work_;
  std::map<std::size_t, std::unique_ptr<DeviceWork>> graphs_;  // Indexed by samples.
};

}  // namespace

std::unique_ptr<StepWork> make_burn_work(Nanos reference, std::size_t reference_batch) {
  return std::make_unique<BurnWork>(std::vector<Nanos>{reference}, reference_batch);
}

std::unique_ptr<StepWork> make_trace_work(std::vector<Nanos> references,
                                          std::size_t reference_batch) {
  return std::make_unique<BurnWork>(std::move(references), reference_batch);
}

std::unique_ptr<StepWork> make_graph_work(Device& device, std::unique_ptr<StepWork> work) {
  return std::make_unique<GraphWork>(device, std::move(work));
}

}  // namespace feedrate
