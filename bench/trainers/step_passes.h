// SPDX-License-Identifier: Apache-2.0
// The kernels of a step that move data and hardly compute: batch normalization, activations,
// residual additions, pooling, casts, the optimizer. Plain values and pure functions.
//
// The counts are reads and writes of PyTorch's kernels in eager mode, each tensor once per kernel:
//   batch normalization  forward x; x, y           backward x, dy; x, dy, dx
//   ReLU (in place)      forward x, x              backward y, dy, dx
//   residual addition    forward a, b, a           backward a, b, a (gradients of the branches)
//
// Sources: torch/nn, aten/src/ATen/native/cuda/{Normalization,batch_norm,Activation}.cu*,
// torch/optim with foreach. A test compares the counts with hooks of torchvision's model.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "device/precision.h"

namespace feedrate {

struct StepPass {
  std::int64_t values = 0;  ///< activations that each kernel reads or writes, per sample
  std::int64_t bytes = 0;   ///< bytes of everything else, per step: weights, gradients, moments
  std::int64_t count = 1;   ///< number of such kernels per step

  /// The bytes of one kernel. Activations have the size of a product's result in this precision.
  [[nodiscard]] double bytes_moved(double samples, Precision precision) const;
};

/// The passes of a model of step_gemms.h: forward, backward, and the optimizer of its source.
/// Throws ConfigError that lists the models.
[[nodiscard]] std::vector<StepPass> model_passes(std::string_view model, Precision precision);

[[nodiscard]] double bytes_moved(std::span<const StepPass> passes, double samples,
                                 Precision precision);

/// The share of the device's copy rate that such kernels reach, from the trace of a ResNet-50
/// training on an H100 (results/h100-16cpu/2026-11-26-resnet50): 128 images per step in bfloat16
/// take 23.9 ms of kernels without tensor cores, which move 45.7 GB at 1.91 TB/s; a copy moves 2.97
/// TB/s (device/simulated/presets.cpp).
inline constexpr double kPassEfficiency = 0.64;

}  // namespace feedrate
