// How many samples a second one core can decode and transform, stage by stage.
#include <cmath>

#include <benchmark/benchmark.h>

#include "core/random.h"
#include "decode/decoder.h"
#include "decode/encoder.h"
#include "decode/sample_pipeline.h"
#include "decode/to_tensor.h"

namespace feedrate {
namespace {

constexpr Normalize kImageNet{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};

/// Waves, edges and a little noise, so that it compresses about as photographs do.
Image texture(int height, int width) {
  Image image;
  image.reset({height, width, 3});
  RandomStream random(1);
  std::uint8_t* pixel = image.pixels.data();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double wave = 40 * std::sin(x / 17.0) + 30 * std::cos(y / 11.0);
      const double edge = (x / 40 + y / 30) % 2 == 0 ? 25 : -25;
      for (int c = 0; c < 3; ++c) {
        const double value = 128 + wave * (1 - 0.2 * c) + edge + random.uniform(-9, 9);
        *pixel++ = static_cast<std::uint8_t>(value);
      }
    }
  }
  return image;
}

Record record_of(const std::vector<std::byte>& encoded) {
  Record record;
  record.payload = encoded;
  return record;
}

void decode(benchmark::State& state, const std::vector<std::byte>& encoded) {
  const auto decoder = make_decoder();
  Image image;
  for (auto _ : state) {
    decoder->decode(encoded, image);
    benchmark::DoNotOptimize(image.pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(encoded.size()));
}

void transform(benchmark::State& state, const ImageTransform& transform) {
  const Image source = texture(375, 500);
  Image image;
  TransformScratch scratch;
  RandomStream random(1);
  for (auto _ : state) {
    state.PauseTiming();
    image = source;
    state.ResumeTiming();
    apply(transform, image, scratch, random);
    benchmark::DoNotOptimize(image.pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
}

void to_tensor(benchmark::State& state) {
  const Image image = texture(224, 224);
  const TensorValues values = tensor_values(kImageNet);
  std::vector<float> tensor(image.shape.size());
  for (auto _ : state) {
    to_float_tensor(image, values, std::as_writable_bytes(std::span(tensor)));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

void make_samples(benchmark::State& state, const PipelineSpec& spec,
                  const std::vector<std::byte>& encoded) {
  const auto pipeline = make_sample_pipeline(spec, 1);
  const Record record = record_of(encoded);
  const SampleShape shape = pipeline->shape(record);
  std::vector<std::byte> sample(shape.bytes());
  std::uint64_t index = 0;
  for (auto _ : state) {
    pipeline->make_sample(record, 0, index++, shape, sample);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

const PipelineSpec kTraining{
    {RandomResizedCrop{}, RandomHorizontalFlip{}}, SampleDtype::kFloat32, kImageNet};
const PipelineSpec kValidation{{Resize{}, CenterCrop{}}, SampleDtype::kFloat32, kImageNet};
const PipelineSpec kSmall{{}, SampleDtype::kFloat32, kImageNet};

BENCHMARK_CAPTURE(decode, png_32x32, encode_png(texture(32, 32)));
BENCHMARK_CAPTURE(decode, png_500x375, encode_png(texture(375, 500)));
BENCHMARK_CAPTURE(decode, jpeg_500x375, encode_jpeg(texture(375, 500), 90));
BENCHMARK_CAPTURE(transform, resize_256, Resize{});
BENCHMARK_CAPTURE(transform, random_resized_crop_224, RandomResizedCrop{});
BENCHMARK(to_tensor);
BENCHMARK_CAPTURE(make_samples, png_32x32, kSmall, encode_png(texture(32, 32)));
BENCHMARK_CAPTURE(make_samples, jpeg_training_224, kTraining, encode_jpeg(texture(375, 500), 90));
BENCHMARK_CAPTURE(make_samples, jpeg_validation_224, kValidation,
                  encode_jpeg(texture(375, 500), 90));

}  // namespace
}  // namespace feedrate
