// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/sample_pipeline.h"

#include <chrono>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/nvtx.h"
#include "loaders/decode/points_pipeline.h"
#include "loaders/decode/record_pixels.h"
#include "loaders/decode/to_tensor.h"

namespace feedrate {
namespace {

std::string to_string(const SampleShape& shape) {
  return fmt::format("{}×{}×{}", shape.channels, shape.height, shape.width);
}

SampleShape to_sample(const ImageShape& image, SampleDtype dtype) {
  return {image.channels, image.height, image.width, dtype};
}

class Pipeline final : public SamplePipeline {
 public:
  Pipeline(PipelineSpec spec, std::uint64_t seed)
      : spec_(std::move(spec)),
        seed_(seed),
        values_(tensor_values(spec_.normalize)),
        half_values_(rounded_to_half(values_)),
        pixels_(spec_.decoding),
        selects_first_(!spec_.transforms.empty() && selects(spec_.transforms.front())) {}

  void make_sample(const Record& record, std::uint64_t epoch, std::uint64_t index,
                   const SampleShape& expected, MutableBytes out) override {
    if (expected.dtype != spec_.dtype || out.size() != expected.bytes()) {
      throw std::invalid_argument(
          "make_sample: expected.dtype and out.size() must fit the pipeline");
    }
    NvtxRange stage("decode", index);
    const auto start = std::chrono::steady_clock::now();
    RandomStream random = sample_stream(seed_, epoch, index);
    const Part part = decode(record, random);
    const auto decoded = std::chrono::steady_clock::now();
    stage.next("transform", index);
    Image& image = pixels_.image();
    transform(part, image, random);
    check_shape(image, expected);
    write(image, out);
    const auto end = std::chrono::steady_clock::now();
    times_.decode += decoded - start;
    times_.transform += end - decoded;
  }

  SampleShape shape(const Record& record) override {
    return to_sample(output_shape(spec_, pixels_.shape(record)), spec_.dtype);
  }

  [[nodiscard]] StageTimes times() const noexcept override { return times_; }

 private:
  /// Decoded pixels, and the selection that picked them; without one, the pixels are the whole
  /// image.
  struct Part {
    PixelView pixels;
    Selection selection;
  };

  Part decode(const Record& record, RandomStream& random) {
    if (!selects_first_) return {view_of(pixels_.decode(record)), {}};
    struct Choice {
      const ImageTransform& transform;
      RandomStream& random;
      Selection made;
    } choice{spec_.transforms.front(), random, {}};
    const PixelView pixels = pixels_.decode_part(record, [&choice](const ImageShape& whole) {
      return choice.made = select(choice.transform, whole, choice.random);
    });
    return {pixels, choice.made};
  }

  void transform(const Part& part, Image& image, RandomStream& random) {
    std::span<const ImageTransform> steps = spec_.transforms;
    if (selects_first_) {
      resize_part(part.pixels, part.selection.height, part.selection.width, image, scratch_);
      steps = steps.subspan(1);
    }
    for (const ImageTransform& step : steps) apply(step, image, scratch_, random);
  }

  void check_shape(const Image& image, const SampleShape& expected) const {
    const SampleShape made = to_sample(image.shape, spec_.dtype);
    if (made == expected) return;
    throw FormatError(
        fmt::format("sample is {}, the first was {}; add resize and center_crop, or "
                    "random_resized_crop, to pipeline.transforms",
                    to_string(made), to_string(expected)));
  }

  void write(const Image& image, MutableBytes out) const {
    switch (spec_.dtype) {
      case SampleDtype::kFloat32:
        return to_float_tensor(image, values_, out);
      case SampleDtype::kFloat16:
        return to_half_tensor(image, half_values_, out);
      case SampleDtype::kUint8:
        return to_uint8_tensor(image, out);
      case SampleDtype::kPixels:
        std::memcpy(out.data(), image.pixels.data(), out.size());
    }
  }

  PipelineSpec spec_;
  std::uint64_t seed_;
  TensorValues values_;
  HalfValues half_values_;
  RecordPixels pixels_;
  bool selects_first_;
  TransformScratch scratch_;
  StageTimes times_;
};

}  // namespace

std::unique_ptr<SamplePipeline> make_sample_pipeline(PipelineSpec spec, std::uint64_t seed) {
  check(spec);
  if (spec.resize_bytes) return make_bytes_pipeline(*spec.resize_bytes);
  if (spec.sample_points) return make_points_pipeline(*spec.sample_points, seed);
  return std::make_unique<Pipeline>(std::move(spec), seed);
}

}  // namespace feedrate
