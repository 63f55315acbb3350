// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/trainers/step_gemms.h"
#include "core/error.h"

namespace feedrate {
namespace {

// A convolution with a square kernel and output; with both of side 1, a dense layer.
struct Layer {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t side;  // of the output
  std::int64_t count;
};

// The model of SURF's course on high-performance ML, "Profiling with PyTorch": CIFAR-10,
// convolutions of 8, 32, 64 and 128 channels with kernels of 3 × 3, poolings by two after the
// second, third and fourth, dense layers of 2048, 2048 and 10. Forward: 16,232,448 multiply-adds
// per image.
constexpr std::array<Layer, 6> kSurfCifar10{{
    {3, 8, 3, 32, 1},
    {8, 32, 3, 32, 1},
    {32, 64, 3, 16, 1},
    {64, 128, 3, 8, 1},
    {128 * 4 * 4, 2048, 1, 1, 1},
    {2048, 10, 1, 1, 1},
}};

// ResNet-50 of He et al., "Deep residual learning for image recognition" (2016), table 1, with the
// stride in the 3 × 3 convolution as in torchvision. Forward: 4,089,184,256 multiply-adds per image
// of 224 × 224, the 4.09 G of torchvision's table.
constexpr std::array<Layer, 21> kResnet50{{
    {3, 64, 7, 112, 1},    {64, 64, 1, 56, 1},    {64, 64, 3, 56, 3},
    {64, 256, 1, 56, 4},  // includes the shortcut
    {256, 64, 1, 56, 2},   {256, 128, 1, 56, 1},  {128, 128, 3, 28, 4},
    {128, 512, 1, 28, 4},  {256, 512, 1, 28, 1},  {512, 128, 1, 28, 3},
    {512, 256, 1, 28, 1},  {256, 256, 3, 14, 6},  {256, 1024, 1, 14, 6},
    {512, 1024, 1, 14, 1}, {1024, 256, 1, 14, 5}, {1024, 512, 1, 14, 1},
    {512, 512, 3, 7, 3},   {512, 2048, 1, 7, 3},  {1024, 2048, 1, 7, 1},
    {2048, 512, 1, 7, 2},  {2048, 1000, 1, 1, 1},
}};

struct Model {
  std::string_view name;
  std::span<const Layer> layers;
};

constexpr std::array<Model, 2> kModels{{{"surf-cifar10", kSurfCifar10}, {"resnet50", kResnet50}}};
constexpr std::array<std::string_view, kModels.size()> kNames{kModels[0].name, kModels[1].name};

struct Sizes {
  std::int64_t out, positions, in;
};

Sizes sizes_of(const Layer& layer) {
  return {layer.out, layer.side * layer.side, layer.in * layer.kernel * layer.kernel};
}

std::vector<StepGemm> step_of(std::span<const Layer> layers) {
  std::vector<StepGemm> step;
  for (const Layer& layer : layers) {
    const auto [out, positions, in] = sizes_of(layer);
    step.push_back({{out, positions, in, layer.count}, BatchDimension::kN});
  }
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const auto [out, positions, in] = sizes_of(*layer);
    step.push_back({{in, positions, out, layer->count}, BatchDimension::kN});  // input gradient
    step.push_back({{out, in, positions, layer->count}, BatchDimension::kK});  // weight gradient
  }
  return step;
}

}  // namespace

std::span<const std::string_view> model_names() { return kNames; }

std::vector<StepGemm> model_gemms(std::string_view model) {
  for (const Model& known : kModels) {
    if (known.name == model) return step_of(known.layers);
  }
  throw ConfigError(
      fmt::format("model '{}': unknown; must be one of: {}", model, fmt::join(kNames, ", ")));
}

}  // namespace feedrate
