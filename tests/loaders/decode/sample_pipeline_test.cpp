// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/sample_pipeline.h"

#include <cstdlib>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/loaders/decode/allocations.h"
#include "tests/loaders/decode/golden.h"
#include "tests/loaders/decode/jpeg_maker.h"

namespace feedrate {
namespace {

using Sample = std::vector<std::byte>;

PipelineSpec training_spec() {
  PipelineSpec spec;
  spec.transforms = {RandomResizedCrop{24, 24}, RandomHorizontalFlip{}};
  spec.normalize = Normalize{{0.5F, 0.5F, 0.5F}, {0.25F, 0.25F, 0.25F}};
  return spec;
}

PipelineSpec plain_spec() { return {{}, SampleDtype::kUint8, {}}; }

Record record_of(const std::vector<std::byte>& encoded) {
  Record record;
  record.payload = encoded;
  return record;
}

Record pixels_of(const std::vector<std::byte>& pixels, ImageShape shape) {
  Record record = record_of(pixels);
  record.kind = Payload::kPixels;
  record.shape = shape;
  return record;
}

Sample make(SamplePipeline& pipeline, const Record& record, std::uint64_t epoch = 0,
            std::uint64_t index = 0) {
  const SampleShape shape = pipeline.shape(record);
  Sample sample(shape.bytes());
  pipeline.make_sample(record, epoch, index, shape, sample);
  return sample;
}

TEST(SamplePipeline, depends_on_seed_epoch_and_index_only) {
  const auto photo = golden::read("photo.png");
  const auto other = golden::read("420.jpg");
  const auto fresh = make_sample_pipeline(training_spec(), 1);
  const Sample sample = make(*fresh, record_of(photo), 2, 3);

  const auto used = make_sample_pipeline(training_spec(), 1);
  for (std::uint64_t index = 0; index < 5; ++index) make(*used, record_of(other), 2, index);
  EXPECT_EQ(make(*used, record_of(photo), 2, 3), sample);

  EXPECT_NE(make(*used, record_of(photo), 2, 4), sample);
  EXPECT_NE(make(*used, record_of(photo), 3, 3), sample);
  EXPECT_NE(make(*make_sample_pipeline(training_spec(), 9), record_of(photo), 2, 3), sample);
}

TEST(SamplePipeline, works_after_damaged_records) {
  for (const char* file : {"420.jpg", "progressive.jpg", "photo.png"}) {
    const auto whole = golden::read(file);
    const auto pipeline = make_sample_pipeline(training_spec(), 1);
    const Sample sample = make(*pipeline, record_of(whole));
    const SampleShape shape = pipeline->shape(record_of(whole));
    Sample out(shape.bytes());
    for (const std::size_t size :
         {std::size_t{0}, whole.size() / 8, whole.size() / 2, whole.size() - 1}) {
      const std::vector<std::byte> cut(whole.begin(),
                                       whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THROW(pipeline->make_sample(record_of(cut), 0, 0, shape, out), FormatError);
      EXPECT_EQ(make(*pipeline, record_of(whole)), sample);
    }
  }
}

TEST(SamplePipeline, has_the_shape_before_it_decodes) {
  const auto jpeg = golden::read("420.jpg");
  EXPECT_EQ(make_sample_pipeline(plain_spec(), 1)->shape(record_of(jpeg)),
            (SampleShape{3, 45, 59, SampleDtype::kUint8}));
  EXPECT_EQ(make_sample_pipeline(training_spec(), 1)->shape(record_of(jpeg)),
            (SampleShape{3, 24, 24, SampleDtype::kFloat32}));
  const std::vector<std::byte> pixels(12);
  EXPECT_EQ(make_sample_pipeline(plain_spec(), 1)->shape(pixels_of(pixels, {3, 4, 1})),
            (SampleShape{3, 3, 4, SampleDtype::kUint8}));
}

TEST(SamplePipeline, takes_pixels_without_decoding) {
  const std::vector<std::byte> rgb{std::byte{1}, std::byte{2}, std::byte{3},
                                   std::byte{4}, std::byte{5}, std::byte{6}};
  const auto pipeline = make_sample_pipeline(plain_spec(), 1);
  const auto sample = make(*pipeline, pixels_of(rgb, {1, 2, 3}));
  EXPECT_EQ(sample, (Sample{rgb[0], rgb[3], rgb[1], rgb[4], rgb[2], rgb[5]}));
}

TEST(SamplePipeline, keeps_the_pixels_for_a_device_that_normalizes) {
  const std::vector<std::byte> rgb{std::byte{1}, std::byte{2}, std::byte{3},
                                   std::byte{4}, std::byte{5}, std::byte{6}};
  const auto pipeline = make_sample_pipeline({{}, SampleDtype::kPixels, {}}, 1);
  EXPECT_EQ(make(*pipeline, pixels_of(rgb, {1, 2, 3})), rgb);
}

TEST(SamplePipeline, rounds_to_halves_after_normalizing) {
  const std::vector<std::byte> rgb{std::byte{0}, std::byte{0}, std::byte{255}};
  const auto pipeline =
      make_sample_pipeline({{}, SampleDtype::kFloat16, training_spec().normalize}, 1);
  const auto sample = make(*pipeline, pixels_of(rgb, {1, 1, 3}));
  const std::vector<std::byte> expected{std::byte{0},    std::byte{0xc0}, std::byte{0},
                                        std::byte{0xc0}, std::byte{0},    std::byte{0x40}};
  EXPECT_EQ(sample, expected);  // -2, -2, 2
}

TEST(SamplePipeline, repeats_gray_pixels) {
  const std::vector<std::byte> gray{std::byte{7}, std::byte{9}};
  const auto pipeline = make_sample_pipeline(plain_spec(), 1);
  const auto sample = make(*pipeline, pixels_of(gray, {1, 2, 1}));
  EXPECT_EQ(sample, (Sample{gray[0], gray[1], gray[0], gray[1], gray[0], gray[1]}));
}

TEST(SamplePipeline, rejects_pixels_that_do_not_fit_their_shape) {
  const std::vector<std::byte> pixels(12);
  const auto pipeline = make_sample_pipeline(plain_spec(), 1);
  constexpr int kMost = 2147483647;
  for (const ImageShape shape :
       {ImageShape{2, 2, 2}, {3, 4, 3}, {-3, -4, 1}, {0, 4, 3}, {kMost, kMost, 3}}) {
    EXPECT_THROW(static_cast<void>(pipeline->shape(pixels_of(pixels, shape))), FormatError);
    const SampleShape expected{3, 2, 2, SampleDtype::kUint8};
    Sample out(expected.bytes());
    EXPECT_THROW(pipeline->make_sample(pixels_of(pixels, shape), 0, 0, expected, out), FormatError);
  }
}

TEST(SamplePipeline, names_the_transforms_to_add_when_samples_differ_in_shape) {
  const std::vector<std::byte> pixels(std::size_t{31} * 40 * 3);
  const auto pipeline = make_sample_pipeline({}, 1);
  const SampleShape expected{3, 32, 32};
  Sample out(expected.bytes());
  EXPECT_THAT(
      [&] {
        pipeline->make_sample(pixels_of(pixels, {31, 40, 3}), 0, 0, expected, out);
      },
      ::testing::ThrowsMessage<FormatError>(
          "sample is 3×31×40, the first was 3×32×32; add resize and center_crop, or "
          "random_resized_crop, to pipeline.transforms"));
}

TEST(SamplePipeline, rejects_an_invalid_specification) {
  EXPECT_THROW(static_cast<void>(make_sample_pipeline({{Resize{0, {}}}}, 1)), ConfigError);
}

TEST(SamplePipeline, adds_up_the_time_of_each_stage) {
  const auto jpeg = golden::read("420.jpg");
  const auto pipeline = make_sample_pipeline(training_spec(), 1);
  EXPECT_EQ(pipeline->times().decode, Nanos{0});
  make(*pipeline, record_of(jpeg));
  const StageTimes first = pipeline->times();
  EXPECT_GT(first.decode, Nanos{0});
  EXPECT_GT(first.transform, Nanos{0});
  make(*pipeline, record_of(jpeg));
  EXPECT_GT(pipeline->times().decode, first.decode);
}

PipelineSpec with_decoding(PipelineSpec spec, Decoding decoding) {
  spec.decoding = decoding;
  return spec;
}

TEST(SamplePipeline, gives_the_same_bytes_by_both_exact_decodings) {
  PipelineSpec validation;
  validation.transforms = {Resize{30, {}}, CenterCrop{24, 24}};
  for (const PipelineSpec& spec : {training_spec(), validation, plain_spec()}) {
    const auto fast = make_sample_pipeline(with_decoding(spec, Decoding::kFast), 1);
    const auto library = make_sample_pipeline(with_decoding(spec, Decoding::kLibrary), 1);
    for (const golden::Expected& expected : golden::expected("rgb")) {
      const auto file = golden::read(expected.file);
      for (std::uint64_t index = 0; index < 10; ++index) {
        EXPECT_EQ(make(*fast, record_of(file), 0, index), make(*library, record_of(file), 0, index))
            << expected.file << ", sample " << index;
      }
    }
  }
}

TEST(SamplePipeline, crops_pixels_as_it_crops_encoded_ones) {
  const auto photo = golden::read("photo.png");
  const Image image = golden::decode("photo.png");
  const auto all = std::as_bytes(std::span(image.pixels)).first(image.shape.size());
  const std::vector<std::byte> pixels(all.begin(), all.end());
  const auto pipeline = make_sample_pipeline(training_spec(), 1);
  for (std::uint64_t index = 0; index < 10; ++index) {
    EXPECT_EQ(make(*pipeline, pixels_of(pixels, image.shape), 0, index),
              make(*pipeline, record_of(photo), 0, index));
  }
}

TEST(SamplePipeline, leaves_pixels_of_the_right_size_as_they_are) {
  const std::vector<std::byte> pixels{std::byte{1}, std::byte{2}, std::byte{3},
                                      std::byte{4}, std::byte{5}, std::byte{6}};
  PipelineSpec spec{{Resize{1, 2}}, SampleDtype::kPixels, {}};
  const auto pipeline = make_sample_pipeline(spec, 1);
  EXPECT_EQ(make(*pipeline, pixels_of(pixels, {1, 2, 3})), pixels);
  EXPECT_EQ(make(*pipeline, pixels_of(pixels, {1, 2, 3})), pixels);
}

TEST(SamplePipeline, scales_to_nearly_the_same_sample) {
  const PipelineSpec spec{{Resize{10, 15}}, SampleDtype::kUint8, {}};
  const auto exact = make_sample_pipeline(spec, 1);
  const auto scaled = make_sample_pipeline(with_decoding(spec, Decoding::kScaled), 1);
  const auto file = jpeg::slope(160, 240);
  const Sample expected = make(*exact, record_of(file));
  const Sample sample = make(*scaled, record_of(file));
  EXPECT_NE(sample, expected);
  int difference = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    difference += std::abs(std::to_integer<int>(sample[i]) - std::to_integer<int>(expected[i]));
  }
  EXPECT_LT(difference, 2 * static_cast<int>(sample.size()));
}

TEST(SamplePipeline, allocates_nothing_for_crops_that_it_has_seen) {
  const auto pipeline = make_sample_pipeline(training_spec(), 1);
  const auto jpeg = golden::read("420.jpg");
  const auto png = golden::read("photo.png");
  const SampleShape shape = pipeline->shape(record_of(jpeg));
  Sample out(shape.bytes());
  const auto run = [&] {
    for (std::uint64_t i = 0; i < 50; ++i) {
      pipeline->make_sample(record_of(i % 2 == 0 ? jpeg : png), 0, i, shape, out);
    }
  };
  run();
  const std::size_t before = allocations();
  run();
  EXPECT_EQ(allocations(), before);
}

// Counts only C++ allocations: libjpeg and libpng use malloc.
TEST(SamplePipeline, allocates_nothing_once_it_has_seen_a_few_samples) {
  const auto jpeg = golden::read("420.jpg");
  PipelineSpec spec;
  spec.transforms = {Resize{30, {}}, CenterCrop{24, 24}, RandomHorizontalFlip{}};
  for (const PipelineSpec& each : {spec, plain_spec()}) {
    const auto pipeline = make_sample_pipeline(each, 1);
    const Record record = record_of(jpeg);
    const SampleShape shape = pipeline->shape(record);
    Sample out(shape.bytes());
    for (std::uint64_t i = 0; i < 4; ++i) pipeline->make_sample(record, 0, i, shape, out);
    const std::size_t before = allocations();
    for (std::uint64_t i = 0; i < 20; ++i) pipeline->make_sample(record, 1, i, shape, out);
    EXPECT_EQ(allocations(), before);
  }
}

}  // namespace
}  // namespace feedrate
