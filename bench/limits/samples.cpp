// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "bench/limits/topics.h"
#include "loaders/decode/sample_pipeline.h"

namespace feedrate {
namespace {

constexpr Normalize kImageNet{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};

PipelineSpec normalized(std::vector<ImageTransform> transforms, Decoding decoding) {
  PipelineSpec spec;
  spec.transforms = std::move(transforms);
  spec.normalize = kImageNet;
  spec.decoding = decoding;
  return spec;
}

PipelineSpec training(Decoding decoding) {
  return normalized({RandomResizedCrop{}, RandomHorizontalFlip{}}, decoding);
}

void make_samples(benchmark::State& state, const PipelineSpec& spec, const PictureSet& pictures) {
  const auto pipeline = make_sample_pipeline(spec, 1);
  const SampleShape shape = pipeline->shape(pictures.records.front().view());
  std::vector<std::byte> sample(shape.bytes());
  std::uint64_t index = 0;
  for (auto _ : state) {
    const Record record = pictures.records[index % pictures.records.size()].view();
    pipeline->make_sample(record, 0, index++, shape, sample);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters[kSizeCounter] = mean_bytes(pictures.records);
}

}  // namespace

TopicPlan plan_samples(const LimitsSetting& setting) {
  TopicPlan plan;
  const auto add = [&](const char* name, const char* note, Picture picture,
                       const PipelineSpec& spec) {
    plan.benchmarks.push_back(
        {{.name = name, .unit = "samples/s", .note = note},
         [spec, picture, pictures = setting.pictures](benchmark::State& state) {
           make_samples(state, spec, pictures->of(picture));
         }});
  };
  add("32x32 PNG", "decode, normalize", Picture::kSmallPng, normalized({}, Decoding::kFast));
  add("500x375 JPEG training", "RandomResizedCrop 224, flip, normalize", Picture::kLargeJpeg,
      training(Decoding::kFast));
  add("500x375 JPEG training library", "the same with decoder=library", Picture::kLargeJpeg,
      training(Decoding::kLibrary));
  add("500x375 JPEG validation", "Resize 256, CenterCrop 224, normalize", Picture::kLargeJpeg,
      normalized({Resize{}, CenterCrop{}}, Decoding::kFast));
  return plan;
}

}  // namespace feedrate
