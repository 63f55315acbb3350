// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "bench/trainers/step_work.h"

namespace feedrate {
namespace {

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

std::unique_ptr<StepWork> make_graph_work(Device& device, std::unique_ptr<StepWork> work) {
  return std::make_unique<GraphWork>(device, std::move(work));
}

}  // namespace feedrate
