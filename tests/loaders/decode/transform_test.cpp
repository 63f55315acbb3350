// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/transform.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/statistics.h"
#include "tests/loaders/decode/golden.h"

namespace feedrate {
namespace {

void expect_golden(const golden::Expected& expected, const ImageTransform& transform) {
  SCOPED_TRACE(to_string(expected));
  Image image = golden::decode(expected.file);
  const ImageShape input = image.shape;
  TransformScratch scratch;
  RandomStream random(0);
  apply(transform, image, scratch, random);
  EXPECT_EQ(image.shape, (ImageShape{expected.height, expected.width, 3}));
  EXPECT_EQ(golden::checksum(image), expected.checksum);
  EXPECT_EQ(output_shape({{transform}}, input), image.shape);
}

TEST(Resize, gives_the_bytes_that_torchvision_gives) {
  const std::vector<golden::Expected> all = golden::expected("resize");
  ASSERT_GE(all.size(), 15U);
  for (const golden::Expected& expected : all) {
    Resize resize{expected.arguments[0], {}};
    if (expected.arguments.size() == 2) resize.width = expected.arguments[1];
    expect_golden(expected, resize);
  }
}

TEST(Resize, truncates_the_longer_side_and_keeps_what_fits) {
  const auto after = [](int size, int height, int width) {
    return output_shape({{Resize{size, {}}}}, {height, width, 3});
  };
  EXPECT_EQ(after(256, 375, 500), (ImageShape{256, 341, 3}));  // 341.3
  EXPECT_EQ(after(256, 500, 375), (ImageShape{341, 256, 3}));
  EXPECT_EQ(after(256, 256, 300), (ImageShape{256, 300, 3}));
  EXPECT_EQ(after(7, 3, 3), (ImageShape{7, 7, 3}));
}

TEST(Resize, rejects_a_longer_side_that_is_too_large) {
  EXPECT_THROW(static_cast<void>(output_shape({{Resize{1000, {}}}}, {1, 60000000, 3})),
               FormatError);
}

TEST(CenterCrop, gives_the_bytes_that_torchvision_gives) {
  const std::vector<golden::Expected> all = golden::expected("center_crop");
  ASSERT_GE(all.size(), 10U);
  for (const golden::Expected& expected : all) {
    expect_golden(expected, CenterCrop{expected.arguments[0], expected.arguments[1]});
  }
}

TEST(RandomHorizontalFlip, mirrors_as_torchvision_does_or_leaves_the_image_alone) {
  for (const golden::Expected& expected : golden::expected("hflip")) {
    expect_golden(expected, RandomHorizontalFlip{1.0});
    Image image = golden::decode(expected.file);
    const std::uint64_t before = golden::checksum(image);
    TransformScratch scratch;
    RandomStream random(0);
    apply(RandomHorizontalFlip{0.0}, image, scratch, random);
    EXPECT_EQ(golden::checksum(image), before);
  }
}

TEST(RandomHorizontalFlip, flips_with_its_probability) {
  Image image;
  TransformScratch scratch;
  RandomStream random(3);
  int flips = 0;
  for (int i = 0; i < 10000; ++i) {
    image.reset({1, 2, 3});
    image.pixels.assign({1, 1, 1, 2, 2, 2});
    apply(RandomHorizontalFlip{0.3}, image, scratch, random);
    flips += image.pixels[0] == 2 ? 1 : 0;
  }
  EXPECT_NEAR(flips, 3000, 4 * std::sqrt(10000 * 0.3 * 0.7));
}

TEST(RandomResizedCrop, gives_its_size_for_any_image) {
  TransformScratch scratch;
  RandomStream random(5);
  for (const int height : {1, 2, 30, 200}) {
    for (const int width : {1, 3, 40}) {
      Image image;
      image.reset({height, width, 3});
      apply(RandomResizedCrop{11, 13}, image, scratch, random);
      EXPECT_EQ(image.shape, (ImageShape{11, 13, 3}));
    }
  }
}

TEST(RandomCropBox, lies_within_the_image_and_its_limits) {
  RandomStream random(1);
  const RandomResizedCrop crop;
  for (int i = 0; i < 2000; ++i) {
    const CropBox box = random_crop_box(crop, {375, 500, 3}, random);
    ASSERT_GE(box.top, 0);
    ASSERT_GE(box.left, 0);
    ASSERT_LE(box.top + box.height, 375);
    ASSERT_LE(box.left + box.width, 500);
    const double share = box.height * box.width / (375.0 * 500.0);
    ASSERT_GE(share, 0.08 * 0.97);  // The sides are rounded.
    const double aspect = static_cast<double>(box.width) / box.height;
    ASSERT_GE(aspect, 0.75 * 0.97);
    ASSERT_LE(aspect, 4.0 / 3.0 * 1.03);
  }
}

// On a square of this size no draw with scale up to 0.5 is rejected, so the distributions are those
// requested.
TEST(RandomCropBox, draws_area_and_logarithm_of_the_aspect_ratio_uniformly) {
  constexpr int kDraws = 20000;
  RandomStream random(2);
  RandomResizedCrop crop;
  crop.scale = {0.1, 0.5};
  std::vector<double> area;
  std::vector<double> aspect;
  std::vector<double> top;
  for (int i = 0; i < kDraws; ++i) {
    const CropBox box = random_crop_box(crop, {1000, 1000, 3}, random);
    area.push_back((box.height * box.width / 1e6 - 0.1) / 0.4);
    const double log_ratio = std::log(static_cast<double>(box.width) / box.height);
    aspect.push_back((log_ratio / std::log(4.0 / 3.0) + 1) / 2);
    top.push_back((box.top + 0.5) / (1000 - box.height + 1));
  }
  for (auto* values : {&area, &aspect, &top}) {
    // Kolmogorov-Smirnov test against the uniform distribution: one in a thousand exceeds 1.95 /
    // sqrt(n).
    std::sort(values->begin(), values->end());
    double distance = 0;
    for (std::size_t i = 0; i < values->size(); ++i) {
      distance =
          std::max(distance, std::abs((*values)[i] - (static_cast<double>(i) + 0.5) / kDraws));
    }
    EXPECT_LT(distance, 1.95 / std::sqrt(kDraws));
  }
}

TEST(RandomCropBox, falls_back_to_the_central_crop) {
  RandomStream random(1);
  RandomResizedCrop crop;
  crop.scale = {1.0, 1.0};  // Never fits an image of another aspect ratio.
  const auto box = [&](int height, int width) {
    const CropBox found = random_crop_box(crop, {height, width, 3}, random);
    return std::vector<int>{found.top, found.left, found.height, found.width};
  };
  EXPECT_EQ(box(100, 10), (std::vector<int>{43, 0, 13, 10}));  // round(13.33)
  EXPECT_EQ(box(10, 100), (std::vector<int>{0, 43, 10, 13}));
  EXPECT_EQ(box(100, 6), (std::vector<int>{46, 0, 8, 6}));
  crop.ratio = {0.8, 1.25};
  EXPECT_EQ(box(2, 100), (std::vector<int>{0, 49, 2, 2}));  // round(2.5) is 2
  crop.ratio = {3.0, 4.0};
  EXPECT_EQ(box(100, 1), (std::vector<int>{49, 0, 1, 1}));  // round(0.33), but not empty
}

TEST(CheckPipeline, names_the_key_that_is_wrong) {
  const auto problem = [](const PipelineSpec& spec) -> std::string {
    try {
      check(spec);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
  const auto starts = [](const std::string& text, const char* with) {
    return text.rfind(with, 0) == 0;
  };
  EXPECT_EQ(problem({{RandomResizedCrop{}, RandomHorizontalFlip{}}}), "");
  EXPECT_TRUE(starts(problem({{Resize{0, {}}}}), "pipeline.transforms: resize to 0"));
  EXPECT_TRUE(starts(problem({{CenterCrop{-1, 2}}}), "pipeline.transforms: center_crop"));
  EXPECT_TRUE(starts(problem({{CenterCrop{100000, 100000}}}), "pipeline.transforms: center_crop"));
  EXPECT_TRUE(starts(problem({{RandomHorizontalFlip{1.5}}}), "pipeline.transforms: random_horiz"));
  RandomResizedCrop crop;
  crop.ratio = {0, 1};
  EXPECT_TRUE(starts(problem({{crop}}), "pipeline.transforms: random_resized_crop.ratio"));
  PipelineSpec spec;
  spec.normalize = Normalize{{0, 0, 0}, {1, 0, 1}};
  EXPECT_TRUE(starts(problem(spec), "pipeline.normalize: std is 0"));
  spec.normalize = Normalize{};
  spec.dtype = SampleDtype::kUint8;
  EXPECT_TRUE(starts(problem(spec), "pipeline.normalize: needs dtype float32"));
}

}  // namespace
}  // namespace feedrate
