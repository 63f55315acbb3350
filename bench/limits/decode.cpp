// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "bench/limits/topics.h"
#include "loaders/decode/decoder.h"

namespace feedrate {
namespace {

std::unique_ptr<Decoder> make_libjpeg_decoder() { return make_jpeg_decoder(Decoding::kLibrary); }

using Records = std::vector<OwnedRecord>;

template <typename Decode>
void decode_all(benchmark::State& state, const Records& records, Decode decode) {
  Image image;
  std::size_t next = 0;
  for (auto _ : state) {
    decode(records[next++ % records.size()].payload, image);
    benchmark::DoNotOptimize(image.pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters[kSizeCounter] = mean_bytes(records);
}

// Repeats one image, whose branches the core predicts.
void decode_again(benchmark::State& state, const Records& records) {
  const auto decoder = make_libjpeg_decoder();
  decode_all(state, {records.front()},
             [&](Bytes encoded, Image& image) { decoder->decode(encoded, image); });
}

template <std::unique_ptr<Decoder> (*kMake)()>
void decode_whole(benchmark::State& state, const Records& records) {
  const auto decoder = kMake();
  decode_all(state, records, [&](Bytes encoded, Image& image) { decoder->decode(encoded, image); });
}

// Decodes the part of each image that a RandomResizedCrop takes.
template <Decoding kDecoding>
void decode_crop(benchmark::State& state, const Records& records) {
  const auto decoder = make_decoder(kDecoding);
  const ImageTransform crop = RandomResizedCrop{};
  RandomStream random(1);
  const Select choose = [&](const ImageShape& whole) { return select(crop, whole, random); };
  decode_all(state, records,
             [&](Bytes encoded, Image& image) { decoder->decode_part(encoded, choose, image); });
}

struct Decoded {
  const char* name;
  Picture picture;
  void (*body)(benchmark::State& state, const Records& records);
  const char* note;
};

constexpr Decoded kDecoded[] = {
    {"32x32 PNG", Picture::kSmallPng, decode_whole<make_png_decoder>, "small PNG"},
    {"500x375 PNG", Picture::kLargePng, decode_whole<make_png_decoder>, "large PNG"},
    {"500x375 JPEG", Picture::kLargeJpeg, decode_whole<make_libjpeg_decoder>,
     "whole JPEG, as in PIL and torchvision"},
    {"500x375 JPEG again", Picture::kLargeJpeg, decode_again,
     "the same image every time, as in tjbench; not typical of a dataset"},
    {"2000x1500 JPEG", Picture::kHugeJpeg, decode_whole<make_libjpeg_decoder>,
     "a typical camera photo"},
    {"500x375 JPEG crop", Picture::kLargeJpeg, decode_crop<Decoding::kFast>,
     "only the crop of RandomResizedCrop; identical pixels"},
    {"2000x1500 JPEG crop", Picture::kHugeJpeg, decode_crop<Decoding::kFast>,
     "only the crop of RandomResizedCrop; identical pixels"},
    {"2000x1500 JPEG crop scaled", Picture::kHugeJpeg, decode_crop<Decoding::kScaled>,
     "the crop, decoded at a smaller scale; slightly different pixels"},
};

}  // namespace

TopicPlan plan_decode(const LimitsSetting& setting) {
  TopicPlan plan;
  for (const Decoded& decoded : kDecoded) {
    LimitBenchmark one;
    one.row = {.name = decoded.name, .unit = "images/s", .note = decoded.note};
    one.body = [decoded, pictures = setting.pictures](benchmark::State& state) {
      decoded.body(state, pictures->of(decoded.picture).records);
    };
    plan.benchmarks.push_back(std::move(one));
  }
  return plan;
}

}  // namespace feedrate
