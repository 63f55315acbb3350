// SPDX-License-Identifier: Apache-2.0
#include "bench/trainers/step_passes.h"

#include <array>
#include <utility>

#include "bench/trainers/step_gemms.h"

namespace feedrate {
namespace {

struct Tensor {
  std::int64_t values;  ///< per sample
  std::int64_t count;
};

constexpr std::int64_t plane(std::int64_t channels, std::int64_t side) {
  return channels * side * side;
}

// torchvision's ResNet-50 has one batch normalization behind each of its 53 convolutions.
constexpr std::array kResnetNorms{
    Tensor{plane(64, 112), 1}, Tensor{plane(64, 56), 6},   Tensor{plane(256, 56), 4},
    Tensor{plane(128, 56), 1}, Tensor{plane(128, 28), 7},  Tensor{plane(512, 28), 5},
    Tensor{plane(256, 28), 1}, Tensor{plane(256, 14), 11}, Tensor{plane(1024, 14), 7},
    Tensor{plane(512, 14), 1}, Tensor{plane(512, 7), 5},   Tensor{plane(2048, 7), 4}};
constexpr std::array kResnetActivations{
    Tensor{plane(64, 112), 1}, Tensor{plane(64, 56), 6},   Tensor{plane(256, 56), 3},
    Tensor{plane(128, 56), 1}, Tensor{plane(128, 28), 7},  Tensor{plane(512, 28), 4},
    Tensor{plane(256, 28), 1}, Tensor{plane(256, 14), 11}, Tensor{plane(1024, 14), 6},
    Tensor{plane(512, 14), 1}, Tensor{plane(512, 7), 5},   Tensor{plane(2048, 7), 3}};
// Outputs of its 16 blocks, and their inputs, where backward gradients of two branches are added.
constexpr std::array kResnetSums{Tensor{plane(256, 56), 3}, Tensor{plane(512, 28), 4},
                                 Tensor{plane(1024, 14), 6}, Tensor{plane(2048, 7), 3}};
constexpr std::array kResnetBranches{Tensor{plane(64, 56), 1}, Tensor{plane(256, 56), 3},
                                     Tensor{plane(512, 28), 4}, Tensor{plane(1024, 14), 6},
                                     Tensor{plane(2048, 7), 2}};
constexpr std::int64_t kResnetWeights = 25'557'032;

constexpr std::array kSurfActivations{Tensor{plane(8, 32), 1}, Tensor{plane(32, 32), 1},
                                      Tensor{plane(64, 16), 1}, Tensor{plane(128, 8), 1},
                                      Tensor{2048, 1}};
// Inputs of the poolings by two after the second, third and fourth convolution.
constexpr std::array kSurfPoolings{Tensor{plane(32, 32), 1}, Tensor{plane(64, 16), 1},
                                   Tensor{plane(128, 8), 1}};
constexpr std::int64_t kSurfWeights = 4'311'754;  // including biases

class PassList {
 public:
  explicit PassList(Precision precision) : is_cast_(bytes_of(precision) < sizeof(float)) {}

  /// Adds one forward and one backward kernel per tensor, each passing over it so many times.
  void add(std::span<const Tensor> tensors, std::int64_t forward, std::int64_t backward) {
    for (const std::int64_t times : {forward, backward}) {
      if (times == 0) continue;
      for (const Tensor& tensor : tensors) {
        passes_.push_back({.values = times * tensor.values, .count = tensor.count});
      }
    }
  }

  void add_norms(std::span<const Tensor> tensors) {
    add(tensors, 1, 2);  // Mean and variance; gradient sums.
    add(tensors, 2, 3);
  }

  // A quarter of the values is the output. Indices are int64.
  void add_pooling(std::int64_t values) {
    const std::int64_t out = values / 4, indices = 4 * out;
    passes_.push_back({.values = values + out + indices});
    passes_.push_back({.values = out + indices + values});
  }

  // Weights are float32. autocast copies them to a lower precision, and their gradients to float32.
  void add_weights(std::int64_t weights, std::int64_t bytes_of_optimizer) {
    constexpr std::int64_t kCast = sizeof(float) + 2;
    if (is_cast_) passes_.push_back({.bytes = kCast * weights, .count = 2});
    passes_.push_back({.bytes = bytes_of_optimizer * weights});
  }

  std::vector<StepPass> take() { return std::move(passes_); }

 private:
  bool is_cast_;
  std::vector<StepPass> passes_;
};

// SGD with momentum (foreach) reads and writes float32: m *= momentum; m += g; w -= lr·m.
constexpr std::int64_t kSgdBytes = (2 + 3 + 3) * sizeof(float);
// Adam (foreach) runs m.lerp(g); v *= β; v += g²; √v; ÷; + ε; w -= m/√v.
constexpr std::int64_t kAdamBytes = (3 + 2 + 3 + 2 + 2 + 2 + 4) * sizeof(float);

std::vector<StepPass> resnet50_passes(Precision precision) {
  PassList list(precision);
  list.add_norms(kResnetNorms);
  list.add(kResnetActivations, 2, 3);
  list.add(kResnetSums, 3, 0);
  list.add(kResnetBranches, 0, 3);
  list.add_pooling(plane(64, 112));
  const Tensor average{plane(2048, 7), 1};
  list.add({&average, 1}, 1, 1);
  list.add_weights(kResnetWeights, kSgdBytes);
  return list.take();
}

std::vector<StepPass> surf_passes(Precision precision) {
  PassList list(precision);
  list.add(kSurfActivations, 2, 3);
  for (const Tensor& pooled : kSurfPoolings) list.add_pooling(pooled.values);
  list.add_weights(kSurfWeights, kAdamBytes);
  return list.take();
}

}  // namespace

double StepPass::bytes_moved(double samples, Precision precision) const {
  return static_cast<double>(values) * samples * static_cast<double>(result_bytes_of(precision)) +
         static_cast<double>(bytes);
}

std::vector<StepPass> model_passes(std::string_view model, Precision precision) {
  if (model == "resnet50") return resnet50_passes(precision);
  if (model == "surf-cifar10") return surf_passes(precision);
  static_cast<void>(model_gemms(model));  // Throws, listing the models.
  return {};
}

double bytes_moved(std::span<const StepPass> passes, double samples, Precision precision) {
  double bytes = 0.0;
  for (const StepPass& pass : passes) {
    bytes += pass.bytes_moved(samples, precision) * static_cast<double>(pass.count);
  }
  return bytes;
}

}  // namespace feedrate
