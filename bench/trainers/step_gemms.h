// SPDX-License-Identifier: Apache-2.0
// A step as a list of matrix products, given by the user or by a known model. Plain values and pure
// functions.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/work.h"

namespace feedrate {

enum class BatchDimension { kN, kK };

struct StepGemm {
  Gemm gemm;  ///< for the step's reference batch
  BatchDimension grows = BatchDimension::kN;
};

/// Parses "4096x1024x4096*8 1000x256x2048": m×n×k and a count, n for the reference batch. Throws
/// ConfigError that names the invalid product.
[[nodiscard]] std::vector<StepGemm> parse_gemms(std::string_view text);

/// The products of a model, "surf-cifar10" or "resnet50", for a reference batch of one sample,
/// forward and backward. A convolution is the product that computes it (im2col, implicit GEMM): out
/// channels × batch·height·width of its output × in channels·kernel area. Its backward pass is two
/// such products, for the gradients of the input and of the weights, so a step costs three forward
/// passes. The product reads each input once per kernel position, where a convolution library reads
/// it about once: memory traffic of a 3 × 3 layer is overstated, arithmetic is exact. step_passes.h
/// has the kernels that move data and hardly compute; the loss is omitted. Throws ConfigError that
/// lists the models.
[[nodiscard]] std::vector<StepGemm> model_gemms(std::string_view model);
[[nodiscard]] std::span<const std::string_view> model_names();

/// The products of a batch of `share` times the reference batch.
[[nodiscard]] std::vector<Gemm> scaled(std::span<const StepGemm> gemms, double share);

}  // namespace feedrate
