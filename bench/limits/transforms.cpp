// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>
#include <utility>

#include <benchmark/benchmark.h>

#include "bench/limits/topics.h"
#include "loaders/decode/to_tensor.h"

namespace feedrate {
namespace {

constexpr Normalize kImageNet{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};
constexpr ImageShape kSource{375, 500, 3};
constexpr ImageShape kSample{224, 224, 3};
constexpr std::size_t kBatch = 64;

// Random pixels suffice, since no transform depends on them.
Image picture_of(const ImageShape& shape) {
  Image image;
  image.reset(shape);
  RandomStream random(1);
  for (std::uint8_t& value : image.pixels) value = static_cast<std::uint8_t>(random.next());
  return image;
}

void resize(benchmark::State& state, const ImageTransform& transform) {
  const Image source = picture_of(kSource);
  Image image;
  TransformScratch scratch;
  RandomStream random(1);
  for (auto _ : state) {
    const Selection chosen = select(transform, source.shape, random);
    resize_part(view_of(source, chosen.box), chosen.height, chosen.width, image, scratch);
    benchmark::DoNotOptimize(image.pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
}

void flip(benchmark::State& state) {
  Image image = picture_of(kSample);
  TransformScratch scratch;
  RandomStream random(1);
  for (auto _ : state) {
    apply(RandomHorizontalFlip{1.0}, image, scratch, random);
    benchmark::DoNotOptimize(image.pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
}

void to_tensor(benchmark::State& state, SampleDtype dtype) {
  const Image image = picture_of(kSample);
  const TensorValues values = tensor_values(kImageNet);
  const HalfValues halves = rounded_to_half(values);
  std::vector<std::byte> tensor(kSample.size() * bytes_of(dtype));
  for (auto _ : state) {
    if (dtype == SampleDtype::kFloat32) to_float_tensor(image, values, tensor);
    if (dtype == SampleDtype::kFloat16) to_half_tensor(image, halves, tensor);
    if (dtype == SampleDtype::kUint8) to_uint8_tensor(image, tensor);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

// Copies separately made samples to one batch, as PyTorch's workers do.
void collate(benchmark::State& state) {
  constexpr std::size_t kBytes = kSample.size() * sizeof(float);
  const std::vector<std::vector<std::byte>> samples(kBatch, std::vector<std::byte>(kBytes));
  std::vector<std::byte> batch(kBatch * kBytes);
  for (auto _ : state) {
    std::byte* out = batch.data();
    for (const std::vector<std::byte>& sample : samples) {
      std::memcpy(out, sample.data(), kBytes);
      out += kBytes;
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

LimitBenchmark row(const char* name, const char* note,
                   std::function<void(benchmark::State&)> body) {
  return {{.name = name, .unit = "images/s", .note = note}, std::move(body)};
}

LimitBenchmark tensor(const char* name, const char* note, SampleDtype dtype) {
  LimitBenchmark one =
      row(name, note, [dtype](benchmark::State& state) { to_tensor(state, dtype); });
  one.row.size = kSample.size() * bytes_of(dtype);
  return one;
}

}  // namespace

TopicPlan plan_transforms(const LimitsSetting& /*setting*/) {
  TopicPlan plan;
  plan.benchmarks.push_back(row("Resize 256", "the whole image downscaled, antialiased",
                                [](benchmark::State& state) { resize(state, Resize{}); }));
  plan.benchmarks.push_back(
      row("RandomResizedCrop 224", "a random crop resized to 224x224, antialiased",
          [](benchmark::State& state) { resize(state, RandomResizedCrop{}); }));
  plan.benchmarks.push_back(
      row("RandomHorizontalFlip", "every image flipped, not every other one", flip));
  plan.benchmarks.push_back(
      tensor("to float32 normalised", "ToTensor and Normalize: HWC to CHW", SampleDtype::kFloat32));
  plan.benchmarks.push_back(
      tensor("to float16 normalised", "the same with half the bytes", SampleDtype::kFloat16));
  plan.benchmarks.push_back(
      tensor("to uint8", "PILToTensor: only HWC to CHW", SampleDtype::kUint8));
  plan.benchmarks.push_back(
      row("collate 64", "float32 samples copied into a batch of 64", collate));
  plan.benchmarks.back().row.size = kSample.size() * sizeof(float);
  return plan;
}

}  // namespace feedrate
