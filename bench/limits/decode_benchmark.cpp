// How many samples a second one core can decode and transform, stage by stage.
#include <cmath>

#include <benchmark/benchmark.h>

#include "core/random.h"
#include "decode/decoder.h"
#include "decode/encoder.h"
#include "decode/fast_png_decoder.h"
#include "decode/jpeg_decoder.h"
#include "decode/png_decoder.h"
#include "decode/sample_pipeline.h"
#include "decode/to_tensor.h"

namespace feedrate {
namespace {

constexpr Normalize kImageNet{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};

/// Waves, edges and a little noise, so that it compresses about as photographs do.
Image texture(int height, int width, std::uint64_t seed = 1) {
  Image image;
  image.reset({height, width, 3});
  RandomStream random(seed);
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

using Encoded = std::vector<std::byte>;

Record record_of(const Encoded& encoded) {
  Record record;
  record.payload = encoded;
  return record;
}

/// So many that no core remembers their bits: of one image again and again a core foretells every
/// branch, and decodes up to twice as fast.
template <typename Encode>
std::vector<Encoded> images(int height, int width, Encode encode) {
  const int count = height * width < 10'000 ? 256 : height * width < 1'000'000 ? 16 : 2;
  std::vector<Encoded> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(encode(texture(height, width, static_cast<std::uint64_t>(i) + 1)));
  }
  return all;
}

std::vector<Encoded> png(int height, int width) { return images(height, width, encode_png); }

std::vector<Encoded> jpeg(int height, int width) {
  return images(height, width, [](const Image& image) { return encode_jpeg(image, 90); });
}

std::unique_ptr<Decoder> make_libjpeg_decoder() { return make_jpeg_decoder(Decoding::kLibrary); }

using MakeDecoder = std::unique_ptr<Decoder> (*)();

void decode(benchmark::State& state, MakeDecoder make, const std::vector<Encoded>& encoded) {
  const auto decoder = make();
  Image image;
  std::size_t next = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const Encoded& each = encoded[next++ % encoded.size()];
    decoder->decode(each, image);
    bytes += each.size();
    benchmark::DoNotOptimize(image.pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

/// What `transform` takes of each image.
void decode_part(benchmark::State& state, Decoding decoding, const ImageTransform& transform,
                 const std::vector<Encoded>& encoded) {
  const auto decoder = make_decoder(decoding);
  RandomStream random(1);
  const Select choose = [&](const ImageShape& whole) { return select(transform, whole, random); };
  Image image;
  std::size_t next = 0;
  for (auto _ : state) {
    decoder->decode_part(encoded[next++ % encoded.size()], choose, image);
    benchmark::DoNotOptimize(image.pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
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
                  const std::vector<Encoded>& encoded) {
  const auto pipeline = make_sample_pipeline(spec, 1);
  const SampleShape shape = pipeline->shape(record_of(encoded.front()));
  std::vector<std::byte> sample(shape.bytes());
  std::uint64_t index = 0;
  for (auto _ : state) {
    const Record record = record_of(encoded[index % encoded.size()]);
    pipeline->make_sample(record, 0, index++, shape, sample);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

const PipelineSpec kTraining{
    {RandomResizedCrop{}, RandomHorizontalFlip{}}, SampleDtype::kFloat32, kImageNet};
const PipelineSpec kValidation{{Resize{}, CenterCrop{}}, SampleDtype::kFloat32, kImageNet};
const PipelineSpec kTrainingByLibrary{{RandomResizedCrop{}, RandomHorizontalFlip{}},
                                      SampleDtype::kFloat32,
                                      kImageNet,
                                      Decoding::kLibrary};
const PipelineSpec kSmall{{}, SampleDtype::kFloat32, kImageNet};

BENCHMARK_CAPTURE(decode, png_32x32, make_fast_png_decoder, png(32, 32));
BENCHMARK_CAPTURE(decode, png_32x32_libpng, make_png_decoder, png(32, 32));
BENCHMARK_CAPTURE(decode, png_500x375, make_fast_png_decoder, png(375, 500));
BENCHMARK_CAPTURE(decode, png_500x375_libpng, make_png_decoder, png(375, 500));
BENCHMARK_CAPTURE(decode, jpeg_500x375, make_libjpeg_decoder, jpeg(375, 500));
BENCHMARK_CAPTURE(decode_part, jpeg_500x375_crop, Decoding::kFast, RandomResizedCrop{},
                  jpeg(375, 500));
BENCHMARK_CAPTURE(decode_part, jpeg_2000x1500_crop_library, Decoding::kLibrary, RandomResizedCrop{},
                  jpeg(1500, 2000));
BENCHMARK_CAPTURE(decode_part, jpeg_2000x1500_crop, Decoding::kFast, RandomResizedCrop{},
                  jpeg(1500, 2000));
BENCHMARK_CAPTURE(decode_part, jpeg_2000x1500_crop_scaled, Decoding::kScaled, RandomResizedCrop{},
                  jpeg(1500, 2000));
BENCHMARK_CAPTURE(transform, resize_256, Resize{});
BENCHMARK_CAPTURE(transform, random_resized_crop_224, RandomResizedCrop{});
BENCHMARK(to_tensor);
BENCHMARK_CAPTURE(make_samples, png_32x32, kSmall, png(32, 32));
BENCHMARK_CAPTURE(make_samples, jpeg_training_224, kTraining, jpeg(375, 500));
BENCHMARK_CAPTURE(make_samples, jpeg_training_224_library, kTrainingByLibrary, jpeg(375, 500));
BENCHMARK_CAPTURE(make_samples, jpeg_validation_224, kValidation, jpeg(375, 500));

}  // namespace
}  // namespace feedrate
