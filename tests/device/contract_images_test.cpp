// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "device/planned_pixel.h"
#include "loaders/decode/decoder.h"
#include "loaders/decode/encoder.h"
#include "tests/device/contract.h"
#include "tests/loaders/decode/jpeg_maker.h"

namespace feedrate {
namespace {

// Maps each byte to itself plus 1000 times the channel.
PixelValues counted_values() {
  PixelValues values;
  for (std::size_t c = 0; c < values.size(); ++c) {
    for (std::size_t byte = 0; byte < values[c].size(); ++byte) {
      values[c][byte] = static_cast<float>(1000 * c + byte);
    }
  }
  return values;
}

ImagePlan whole_image(int height, int width) {
  return {.height = height,
          .width = width,
          .box_top = 0,
          .box_left = 0,
          .box_height = height,
          .box_width = width,
          .resized_height = height,
          .resized_width = width,
          .top = 0,
          .left = 0,
          .flipped = 0};
}

class DeviceImages : public DeviceContract {
 protected:
  // The source is a 12 × 10 image of noise, 5 bytes behind the begin of its buffer.
  static constexpr std::size_t kOffset = 5;
  static constexpr int kHeight = 12;
  static constexpr int kWidth = 10;

  void SetUp() override {
    DeviceContract::SetUp();
    if (IsSkipped()) return;
    RandomStream random(1);
    for (std::uint8_t& value : pixels_) value = static_cast<std::uint8_t>(random.below(256));
    source_ = device_->allocate(kOffset + pixels_.size());
    HostBuffer pinned = host(kOffset + pixels_.size(), HostMemory::kPinned, 0);
    std::memcpy(pinned.bytes().data() + kOffset, pixels_.data(), pixels_.size());
    device_->default_stream().copy_to_device(source_, pinned.bytes());
    device_->synchronize();
  }

  std::vector<float> transformed(const std::vector<PlannedImage>& images,
                                 const ImageOutput& output) {
    const std::size_t bytes = images.size() * output.values() * sizeof(float);
    const DeviceBuffer target = device_->allocate(bytes);
    const HostBuffer back = host(bytes, HostMemory::kPinned, 0xFF);
    DeviceStream& stream = device_->default_stream();
    stream.transform(target, source_, images, output, counted_values());
    stream.copy_to_host(back.bytes(), target);
    stream.synchronize();
    std::vector<float> numbers(bytes / sizeof(float));
    std::memcpy(numbers.data(), back.bytes().data(), bytes);
    return numbers;
  }

  [[nodiscard]] float pixel(int y, int x, int channel) const {
    return static_cast<float>(pixels_[static_cast<std::size_t>((y * kWidth + x) * 3 + channel)] +
                              1000 * channel);
  }

  std::vector<std::uint8_t> pixels_ = std::vector<std::uint8_t>(kHeight * kWidth * 3);
  DeviceBuffer source_;
};

TEST_P(DeviceImages, an_image_of_the_right_size_is_only_normalized) {
  const auto numbers = transformed({{kOffset, whole_image(kHeight, kWidth)}}, {kHeight, kWidth});
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const auto at = static_cast<std::size_t>((c * kHeight + y) * kWidth + x);
        ASSERT_EQ(numbers[at], pixel(y, x, c)) << c << " " << y << " " << x;
      }
    }
  }
}

TEST_P(DeviceImages, each_image_has_its_own_plan) {
  ImagePlan cropped = whole_image(kHeight, kWidth);
  cropped.box_top = 3;
  cropped.box_left = 2;
  cropped.box_height = cropped.resized_height = 4;
  cropped.box_width = cropped.resized_width = 6;
  ImagePlan flipped = cropped;
  flipped.flipped = 1;
  const auto numbers = transformed({{kOffset, cropped}, {kOffset, flipped}}, {4, 6});
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 6; ++x) {
        const auto at = static_cast<std::size_t>((c * 4 + y) * 6 + x);
        ASSERT_EQ(numbers[at], pixel(3 + y, 2 + x, c));
        ASSERT_EQ(numbers[3 * 4 * 6 + at], pixel(3 + y, 2 + 5 - x, c));
      }
    }
  }
}

TEST_P(DeviceImages, pixels_outside_are_black_and_an_empty_plan_gives_zeros) {
  ImagePlan larger = whole_image(kHeight, kWidth);
  larger.top = -1;
  larger.left = -2;
  const auto numbers = transformed({{kOffset, larger}, {0, {}}}, {kHeight + 2, kWidth + 4});
  EXPECT_EQ(numbers[0], 0.0F);
  const std::size_t row = kWidth + 4;
  const std::size_t channel = (kHeight + 2) * row;
  EXPECT_EQ(numbers[channel], 1000.0F);
  EXPECT_EQ(numbers[row + 2], pixel(0, 0, 0));
  EXPECT_EQ(numbers[2 * channel - 1], 1000.0F);
  EXPECT_TRUE(std::all_of(numbers.begin() + static_cast<std::ptrdiff_t>(3 * channel), numbers.end(),
                          [](float number) { return number == 0.0F; }));
}

TEST_P(DeviceImages, resizing_equals_the_shared_filter) {
  for (const auto& [height, width] : {std::pair{5, 4}, {7, 23}, {30, 3}}) {
    ImagePlan plan = whole_image(kHeight, kWidth);
    plan.resized_height = height;
    plan.resized_width = width;
    const auto numbers = transformed({{kOffset, plan}}, {height, width});
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        std::uint8_t expected[3];
        make_planned_pixel(pixels_.data(), plan, width, y, x, expected);
        for (int c = 0; c < 3; ++c) {
          const auto at = static_cast<std::size_t>((c * height + y) * width + x);
          ASSERT_NEAR(numbers[at], 1000 * c + expected[c], 1.0) << y << " " << x;
        }
      }
    }
  }
}

TEST_P(DeviceImages, runs_more_plans_than_fit_into_a_small_copy) {
  const std::vector<PlannedImage> images(3000, {kOffset, whole_image(kHeight, kWidth)});
  const auto numbers = transformed(images, {1, 1});
  EXPECT_EQ(numbers[3 * 2999 + 2], pixel(0, 0, 2));
}

// Each step has other plans, and all are queued before the first runs.
TEST_P(DeviceImages, each_step_uses_its_own_plans_however_far_the_host_is_ahead) {
  constexpr std::size_t kSteps = 20;
  constexpr std::size_t kBytes = 3 * sizeof(float);
  DeviceStream& stream = device_->default_stream();
  const HostBuffer back = host(kSteps * kBytes, HostMemory::kPinned, 0xFF);
  std::vector<DeviceBuffer> targets;
  for (std::size_t i = 0; i < kSteps; ++i) targets.push_back(device_->allocate(kBytes));
  const auto images_of_step = [](std::size_t step) {
    ImagePlan plan = whole_image(kHeight, kWidth);
    plan.top = static_cast<int>(step) % kHeight;
    plan.left = static_cast<int>(step) % kWidth;
    return PlannedImage{kOffset, plan};
  };
  stream.burn(kBurn);
  for (std::size_t step = 0; step < kSteps; ++step) {
    const PlannedImage image = images_of_step(step);
    stream.transform(targets[step], source_, {&image, 1}, {1, 1}, counted_values());
  }
  for (std::size_t step = 0; step < kSteps; ++step) {
    stream.copy_to_host(back.bytes().subspan(step * kBytes, kBytes), targets[step]);
  }
  stream.synchronize();
  for (std::size_t step = 0; step < kSteps; ++step) {
    float red = -1;
    std::memcpy(&red, back.bytes().data() + step * kBytes, sizeof(red));
    const ImagePlan plan = images_of_step(step).plan;
    EXPECT_EQ(red, pixel(plan.top, plan.left, 0)) << step;
  }
}

TEST_P(DeviceImages, transforms_cannot_be_captured) {
  const DeviceBuffer target = device_->allocate(3 * sizeof(float));
  const PlannedImage image{kOffset, whole_image(kHeight, kWidth)};
  EXPECT_THROW(static_cast<void>(device_->capture([&](DeviceStream& stream) {
                 stream.transform(target, source_, {&image, 1}, {1, 1}, counted_values());
               })),
               DeviceError);
}

TEST_P(DeviceImages, refuses_images_outside_the_source_or_larger_than_the_target) {
  const DeviceBuffer small = device_->allocate(3 * 4 * 4 * sizeof(float) - 1);
  DeviceStream& stream = device_->default_stream();
  const PixelValues values = counted_values();
  const auto attempt = [&](std::size_t offset, const ImagePlan& plan, ImageOutput output) {
    const PlannedImage image{offset, plan};
    stream.transform(small, source_, {&image, 1}, output, values);
  };
  EXPECT_THROW(attempt(kOffset, whole_image(kHeight, kWidth), {4, 4}), DeviceError);
  EXPECT_THROW(attempt(kOffset + 1, whole_image(kHeight, kWidth), {1, 1}), DeviceError);
  ImagePlan outside = whole_image(kHeight, kWidth);
  outside.box_left = 1;
  EXPECT_THROW(attempt(kOffset, outside, {1, 1}), DeviceError);
}

// Skipped on a machine without the library.
class DeviceJpeg : public DeviceContract {
 protected:
  void SetUp() override {
    DeviceContract::SetUp();
    if (IsSkipped()) return;
    try {
      decoder_ = device_->open_jpeg_decoder();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  // The pixels are smooth, because decoders interpolate colors differently.
  static std::vector<std::byte> file_of(int height, int width) {
    Image image;
    image.reset({height, width, 3});
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      const std::size_t row = i / 3 / static_cast<std::size_t>(width);
      const std::size_t column = i / 3 % static_cast<std::size_t>(width);
      image.pixels[i] = static_cast<std::uint8_t>((row + 2 * column + 40 * (i % 3)) % 256 / 2 + 60);
    }
    return encode_jpeg(image, 95);
  }

  // Expects the files' pixels, with a mean difference below 2 levels.
  void expect_decoded(const std::vector<std::vector<std::byte>>& files) {
    std::vector<EncodedImage> images;
    std::size_t end = 0;
    for (const std::vector<std::byte>& file : files) {
      const ImageShape shape = make_decoder()->shape(file);
      images.push_back({file, end, shape.height, shape.width});
      end += images.back().bytes() + 7;
    }
    const DeviceBuffer target = device_->allocate(end);
    const HostBuffer back = host(end, HostMemory::kPinned, 0);
    DeviceStream& stream = device_->default_stream();
    decoder_->decode(stream, target, images);
    stream.copy_to_host(back.bytes(), target);
    stream.synchronize();
    for (const EncodedImage& image : images) {
      EXPECT_LT(mean_difference(image, back.bytes().subspan(image.offset)), 2.0);
    }
  }

  std::unique_ptr<JpegDecoder> decoder_;

 private:
  static double mean_difference(const EncodedImage& image, Bytes pixels) {
    Image expected;
    make_decoder(Decoding::kLibrary)->decode(image.file, expected);
    double sum = 0;
    for (std::size_t i = 0; i < image.bytes(); ++i) {
      sum += std::abs(std::to_integer<int>(pixels[i]) - expected.pixels[i]);
    }
    return sum / static_cast<double>(image.bytes());
  }
};

TEST_P(DeviceJpeg, decodes_several_batches_sequentially) {
  expect_decoded({file_of(37, 50), file_of(64, 16)});
  expect_decoded({file_of(64, 16), file_of(37, 50)});
  expect_decoded({file_of(20, 30)});
  expect_decoded({file_of(8, 8), file_of(37, 50), file_of(100, 9)});
}

TEST_P(DeviceJpeg, decodes_gray_and_progressive_files_among_others) {
  RandomStream random(1);
  expect_decoded(
      {jpeg::noise(24, 40, {.name = "grey", .horizontal = 0, .vertical = 0}, random),
       file_of(37, 50),
       jpeg::noise(33, 20,
                   {.name = "progressive", .horizontal = 1, .vertical = 1, .progressive = true},
                   random)});
}

TEST_P(DeviceJpeg, refuses_a_damaged_file_and_decodes_the_next_batch) {
  std::vector<std::byte> damaged = file_of(37, 50);
  damaged.resize(30);
  const std::vector<std::byte> whole = file_of(37, 50);
  const DeviceBuffer target = device_->allocate(2 * 3 * 37 * 50);
  const std::vector<EncodedImage> files{{whole, 0, 37, 50}, {damaged, 3 * 37 * 50, 37, 50}};
  EXPECT_THROW(decoder_->decode(device_->default_stream(), target, files), FormatError);
  expect_decoded({whole, whole});
}

TEST_P(DeviceJpeg, has_a_name) { EXPECT_NE(decoder_->name(), ""); }

TEST_P(DeviceJpeg, refuses_pixels_that_do_not_fit) {
  const std::vector<std::byte> file = file_of(16, 16);
  const DeviceBuffer target = device_->allocate(3 * 16 * 16 - 1);
  const EncodedImage image{file, 0, 16, 16};
  EXPECT_THROW(decoder_->decode(device_->default_stream(), target, {&image, 1}), DeviceError);
  const DeviceBuffer larger = device_->allocate(3 * 16 * 16);
  const EncodedImage behind{file, 1, 16, 16};
  EXPECT_THROW(decoder_->decode(device_->default_stream(), larger, {&behind, 1}), DeviceError);
}

TEST_P(DeviceJpeg, accepts_an_empty_batch) {
  decoder_->decode(device_->default_stream(), device_->allocate(16), {});
  device_->synchronize();
}

INSTANTIATE_TEST_SUITE_P(all, DeviceImages, ::testing::ValuesIn(backends()),
                         [](const auto& instance) { return instance.param.name; });
INSTANTIATE_TEST_SUITE_P(all, DeviceJpeg, ::testing::ValuesIn(backends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace feedrate
