// SPDX-License-Identifier: Apache-2.0
// The kernels of a step that move data and hardly compute: batch normalization, activations,
// residual additions, pooling, casts, the optimizer. Plain values and pure functions.
//
// Counted is what PyTorch's kernels read and write in eager mode, each tensor once a kernel:
//   batch normalization  forward x; x, y           backward x, dy; x, dy, dx
//   ReLU (in place)      forward x, x              backward y, dy, dx
//   residual addition    forward a, b, a           backward (of the two branches' gradients) a, b,
//   a
// torch/nn, aten/src/ATen/native/cuda/{Normalization,batch_norm,Activation}.cu*, torch/optim with
// foreach. A test compares the counts with what hooks of torchvision's model see.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "device/precision.h"

namespace feedrate {

struct StepPass {
  std::int64_t values = 0;  ///< of activations, read or written by each kernel, a sample
  std::int64_t bytes = 0;   ///< … and of all else, a step: weights, gradients, moments
  std::int64_t count = 1;   ///< such kernels in a step

  /// Of one kernel. Activations have the size of the results of products of this precision.
  [[nodiscard]] double bytes_moved(double samples, Precision precision) const;
};

/// Of a model of step_gemms.h; forward, backward, the optimizer of its source. Throws ConfigError
/// listing the models.
[[nodiscard]] std::vector<StepPass> model_passes(std::string_view model, Precision precision);

/// Of all kernels.
[[nodiscard]] double bytes_moved(std::span<const StepPass> passes, double samples,
                                 Precision precision);

/// What such kernels reach of the rate at which the device copies within its memory. By the trace
/// of a ResNet-50 training on an H100 (results/h100-16cpu/2026-11-26-resnet50): 128 images a step
/// in bfloat16 take 23.9 ms of kernels without tensor cores, in which 45.7 GB are 1.91 TB/s; a copy
/// moves 2.97 TB/s (device/simulated/presets.cpp).
inline constexpr double kPassEfficiency = 0.64;

}  // namespace feedrate
