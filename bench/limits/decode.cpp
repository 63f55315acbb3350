// How fast one core makes pixels of encoded images: whole, the part that a crop takes, and smaller.
#include <benchmark/benchmark.h>

#include "bench/limits/topics.h"
#include "decode/decoder.h"
#include "decode/fast_png_decoder.h"
#include "decode/jpeg_decoder.h"
#include "decode/png_decoder.h"

namespace feedrate {
namespace {

std::unique_ptr<Decoder> make_libjpeg_decoder() { return make_jpeg_decoder(Decoding::kLibrary); }

using MakeDecoder = std::unique_ptr<Decoder> (*)();
using Records = std::vector<OwnedRecord>;

void finish(benchmark::State& state, const Records& records) {
  state.SetItemsProcessed(state.iterations());
  state.counters[kSizeCounter] = mean_bytes(records);
}

void decode_whole(benchmark::State& state, MakeDecoder make, const Records& records) {
  const auto decoder = make();
  Image image;
  std::size_t next = 0;
  for (auto _ : state) {
    decoder->decode(records[next++ % records.size()].payload, image);
    benchmark::DoNotOptimize(image.pixels.data());
  }
  finish(state, records);
}

// What a RandomResizedCrop takes of each image.
void decode_crop(benchmark::State& state, Decoding decoding, const Records& records) {
  const auto decoder = make_decoder(decoding);
  const ImageTransform crop = RandomResizedCrop{};
  RandomStream random(1);
  const Select choose = [&](const ImageShape& whole) { return select(crop, whole, random); };
  Image image;
  std::size_t next = 0;
  for (auto _ : state) {
    decoder->decode_part(records[next++ % records.size()].payload, choose, image);
    benchmark::DoNotOptimize(image.pixels.data());
  }
  finish(state, records);
}

struct Whole {
  const char* name;
  Picture picture;
  MakeDecoder make;
  const char* note;
};

constexpr Whole kWhole[] = {
    {"32x32 PNG", Picture::kSmallPng, make_fast_png_decoder, "small PNG, as a sweep decodes it"},
    {"32x32 PNG libpng", Picture::kSmallPng, make_png_decoder, "the same with decoder library"},
    {"500x375 PNG", Picture::kLargePng, make_fast_png_decoder, "large PNG, as a sweep decodes it"},
    {"500x375 PNG libpng", Picture::kLargePng, make_png_decoder, "the same with decoder library"},
    {"500x375 JPEG", Picture::kLargeJpeg, make_libjpeg_decoder,
     "JPEG decoded whole, as PIL and torchvision do"},
    {"2000x1500 JPEG", Picture::kHugeJpeg, make_libjpeg_decoder, "a photo as cameras make it"},
};

struct Crop {
  const char* name;
  Picture picture;
  Decoding decoding;
  const char* note;
};

constexpr Crop kCrops[] = {
    {"500x375 JPEG crop", Picture::kLargeJpeg, Decoding::kFast,
     "only what RandomResizedCrop takes; the same pixels"},
    {"2000x1500 JPEG crop", Picture::kHugeJpeg, Decoding::kFast,
     "only what RandomResizedCrop takes; the same pixels"},
    {"2000x1500 JPEG crop scaled", Picture::kHugeJpeg, Decoding::kScaled,
     "the crop, decoded smaller; slightly other pixels"},
};

LimitBenchmark benchmark_of(const Whole& whole, const std::shared_ptr<Pictures>& pictures) {
  LimitBenchmark one;
  one.row = {.name = whole.name, .unit = "images/s", .note = whole.note};
  one.body = [whole, pictures](benchmark::State& state) {
    decode_whole(state, whole.make, pictures->of(whole.picture).records);
  };
  return one;
}

LimitBenchmark benchmark_of(const Crop& crop, const std::shared_ptr<Pictures>& pictures) {
  LimitBenchmark one;
  one.row = {.name = crop.name, .unit = "images/s", .note = crop.note};
  one.body = [crop, pictures](benchmark::State& state) {
    decode_crop(state, crop.decoding, pictures->of(crop.picture).records);
  };
  return one;
}

}  // namespace

TopicPlan plan_decode(const LimitsSetting& setting) {
  TopicPlan plan;
  for (const Whole& whole : kWhole) {
    plan.benchmarks.push_back(benchmark_of(whole, setting.pictures));
  }
  for (const Crop& crop : kCrops) {
    plan.benchmarks.push_back(benchmark_of(crop, setting.pictures));
  }
  return plan;
}

}  // namespace feedrate
