// SPDX-License-Identifier: Apache-2.0
// A step as a list of matrix products: as the user writes them, or as the layers of a known model.
// Plain values and pure functions.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/work.h"

namespace feedrate {

/// Which dimension of a product grows with the batch.
enum class BatchDimension { kN, kK };

struct StepGemm {
  Gemm gemm;  ///< as it is for the step's reference batch
  BatchDimension grows = BatchDimension::kN;
};

/// "4096x1024x4096*8 1000x256x2048": m×n×k and how often, n for the reference batch. Throws
/// ConfigError that names what is wrong.
[[nodiscard]] std::vector<StepGemm> parse_gemms(std::string_view text);

/// The layers of a model, for a reference batch of one sample: "surf-cifar10", "resnet50". Forward
/// and backward; a convolution is the product that computes it (im2col, implicit GEMM): out
/// channels × batch·height·width of its output × in channels·kernel area. Backward are two such
/// products, of the input's and of the weights' gradient, so a step is three times the forward
/// pass. The product reads each input once for every place of the kernel, where a library for
/// convolutions reads it about once: memory traffic of a 3 × 3 layer is overstated, arithmetic is
/// exact. What moves data and hardly computes is in step_passes.h; the loss is left out. Throws
/// ConfigError listing the models.
[[nodiscard]] std::vector<StepGemm> model_gemms(std::string_view model);
/// Their names, for messages and --help.
[[nodiscard]] std::span<const std::string_view> model_names();

/// The products of a batch of `share` times the reference batch.
[[nodiscard]] std::vector<Gemm> scaled(std::span<const StepGemm> gemms, double share);

}  // namespace feedrate
