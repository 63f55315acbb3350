#include "decode/sample_pipeline.h"

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "decode/decoder.h"
#include "decode/pixel_limit.h"
#include "decode/to_tensor.h"

namespace feedrate {
namespace {

std::string to_string(const SampleShape& shape) {
  return fmt::format("{}×{}×{}", shape.channels, shape.height, shape.width);
}

SampleShape to_sample(const ImageShape& image, SampleDtype dtype) {
  return {image.channels, image.height, image.width, dtype};
}

void check_pixels(const Record& record) {
  const ImageShape& shape = record.shape;
  check_pixel_count("record", shape.height, shape.width);
  if (shape.channels != 1 && shape.channels != 3) {
    throw FormatError(
        fmt::format("record has {} channels; 1 (grey) and 3 (RGB) are supported", shape.channels));
  }
  if (record.payload.size() != shape.size()) {
    throw FormatError(fmt::format("record holds {} bytes; {}×{}×{} pixels need {}",
                                  record.payload.size(), shape.height, shape.width, shape.channels,
                                  shape.size()));
  }
}

void copy_pixels(const Record& record, Image& image) {
  check_pixels(record);
  image.reset({record.shape.height, record.shape.width, 3});
  if (record.shape.channels == 3) {
    std::memcpy(image.pixels.data(), record.payload.data(), record.payload.size());
    return;
  }
  std::uint8_t* pixel = image.pixels.data();
  for (const std::byte grey : record.payload) {
    for (int c = 0; c < 3; ++c) *pixel++ = std::to_integer<std::uint8_t>(grey);
  }
}

class Pipeline final : public SamplePipeline {
 public:
  Pipeline(PipelineSpec spec, std::uint64_t seed)
      : spec_(std::move(spec)), seed_(seed), values_(tensor_values(spec_.normalize)) {}

  void make_sample(const Record& record, std::uint64_t epoch, std::uint64_t index,
                   const SampleShape& expected, MutableBytes out) override {
    if (expected.dtype != spec_.dtype || out.size() != expected.bytes()) {
      throw std::invalid_argument(
          "make_sample: expected.dtype and out.size() must fit the pipeline");
    }
    const auto start = std::chrono::steady_clock::now();
    load(record);
    const auto decoded = std::chrono::steady_clock::now();
    transform(epoch, index);
    check_shape(expected);
    write(out);
    const auto end = std::chrono::steady_clock::now();
    times_.decode += decoded - start;
    times_.transform += end - decoded;
  }

  SampleShape shape(const Record& record) override {
    if (record.kind == Payload::kPixels) check_pixels(record);
    const ImageShape input =
        record.kind == Payload::kPixels ? record.shape : decoder_->shape(record.payload);
    return to_sample(output_shape(spec_, input), spec_.dtype);
  }

  [[nodiscard]] StageTimes times() const noexcept override { return times_; }

 private:
  void load(const Record& record) {
    if (record.kind == Payload::kPixels) {
      copy_pixels(record, image_);
    } else {
      decoder_->decode(record.payload, image_);
    }
  }

  void transform(std::uint64_t epoch, std::uint64_t index) {
    RandomStream random = sample_stream(seed_, epoch, index);
    for (const ImageTransform& step : spec_.transforms) apply(step, image_, scratch_, random);
  }

  void check_shape(const SampleShape& expected) const {
    const SampleShape made = to_sample(image_.shape, spec_.dtype);
    if (made == expected) return;
    throw FormatError(
        fmt::format("sample is {}, the first was {}; add resize and center_crop, or "
                    "random_resized_crop, to pipeline.transforms",
                    to_string(made), to_string(expected)));
  }

  void write(MutableBytes out) const {
    if (spec_.dtype == SampleDtype::kFloat32) {
      to_float_tensor(image_, values_, out);
    } else {
      to_uint8_tensor(image_, out);
    }
  }

  PipelineSpec spec_;
  std::uint64_t seed_;
  TensorValues values_;
  std::unique_ptr<Decoder> decoder_ = make_decoder();
  Image image_;
  TransformScratch scratch_;
  StageTimes times_;
};

}  // namespace

std::unique_ptr<SamplePipeline> make_sample_pipeline(PipelineSpec spec, std::uint64_t seed) {
  check(spec);
  return std::make_unique<Pipeline>(std::move(spec), seed);
}

}  // namespace feedrate
