// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/config_sections.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

PipelineSpec parse(const std::string& transforms) {
  return parse_pipeline(parse_yaml("transforms: " + transforms, "s.yaml"));
}

void expect_pipeline_error(const std::string& transforms, const char* message) {
  EXPECT_THAT([&] { static_cast<void>(parse(transforms)); },
              ThrowsMessage<ConfigError>(HasSubstr(message)));
}

TEST(Pipeline, without_transforms_is_to_tensor) {
  const PipelineSpec spec = parse_pipeline(ConfigNode{});
  EXPECT_TRUE(spec.transforms.empty());
  EXPECT_EQ(spec.dtype, SampleDtype::kFloat32);
  EXPECT_FALSE(spec.normalize);
}

TEST(Pipeline, reads_imagenets_training_transforms) {
  const PipelineSpec spec = parse(
      "[random_resized_crop: {size: 224, scale: [0.2, 1.0]}, horizontal_flip, to_tensor, "
      "normalize: {mean: [0.5, 0.4, 0.3], std: [0.2, 0.2, 0.2]}]");
  ASSERT_EQ(spec.transforms.size(), 2U);
  const auto& crop = std::get<RandomResizedCrop>(spec.transforms[0]);
  EXPECT_EQ(crop.height, 224);
  EXPECT_EQ(crop.width, 224);
  EXPECT_DOUBLE_EQ(crop.scale[0], 0.2);
  EXPECT_DOUBLE_EQ(crop.ratio[0], 0.75);
  EXPECT_DOUBLE_EQ(std::get<RandomHorizontalFlip>(spec.transforms[1]).p, 0.5);
  ASSERT_TRUE(spec.normalize);
  EXPECT_FLOAT_EQ(spec.normalize->mean[1], 0.4F);
}

TEST(Pipeline, resize_takes_the_shorter_side_or_both) {
  const PipelineSpec spec =
      parse("[resize: 256, resize: [100, 200], center_crop: 224, pil_to_tensor]");
  EXPECT_FALSE(std::get<Resize>(spec.transforms[0]).width);
  EXPECT_EQ(std::get<Resize>(spec.transforms[1]).height, 100);
  EXPECT_EQ(std::get<Resize>(spec.transforms[1]).width, 200);
  EXPECT_EQ(std::get<CenterCrop>(spec.transforms[2]).width, 224);
  EXPECT_EQ(spec.dtype, SampleDtype::kUint8);
}

TEST(Pipeline, takes_records_as_bytes) {
  const PipelineSpec spec = parse("[resize_bytes: 2097152]");
  EXPECT_EQ(spec.resize_bytes, 2097152U);
  EXPECT_EQ(spec.dtype, SampleDtype::kUint8);
  EXPECT_TRUE(spec.transforms.empty());
  expect_pipeline_error("[resize_bytes: 0]", "resize_bytes: 0 is out of range");
  expect_pipeline_error("[resize_bytes]", "resize_bytes: must be a single value");
  expect_pipeline_error("[resize: 8, resize_bytes: 9]", "resize_bytes: must be the only transform");
  expect_pipeline_error("[resize_bytes: 9, to_tensor]",
                        "to_tensor: cannot be combined with resize_bytes");
}

TEST(Pipeline, takes_records_as_sequences_of_tokens) {
  for (const char* const tokens : {"[tokens: 2048]", "[tokens: {max_length: 2048}]"}) {
    const PipelineSpec spec = parse(tokens);
    ASSERT_TRUE(spec.tokens) << tokens;
    EXPECT_EQ(spec.tokens->max_length, 2048U);
    EXPECT_TRUE(is_opaque(spec));
    EXPECT_EQ(spec.dtype, SampleDtype::kUint8);
  }
  expect_pipeline_error("[tokens]", "tokens: must be a single value");
  expect_pipeline_error("[tokens: 0]", "tokens: 0 is out of range");
  expect_pipeline_error("[tokens: {length: 9}]", "max_length");
  expect_pipeline_error("[tokens: 9, resize_bytes: 9]",
                        "resize_bytes: cannot be combined with tokens");
  expect_pipeline_error("[to_tensor, tokens: 9]", "tokens: must be the only transform");
}

TEST(Pipeline, takes_records_as_clouds_of_points) {
  EXPECT_EQ(parse("[sample_points: 4096]").sample_points, 4096U);
  expect_pipeline_error("[sample_points: 100000000]", "sample_points: 100000000 is out of range");
  expect_pipeline_error("[sample_points: 5, normalize]",
                        "normalize: cannot be combined with sample_points");
}

TEST(Pipeline, names_what_is_wrong) {
  expect_pipeline_error("[to_tensr]",
                        "to_tensr: unknown transform; must be one of random_resized_crop");
  expect_pipeline_error("[to_tensor, center_crop: 3]", "center_crop: must come before to_tensor");
  expect_pipeline_error("[normalize: {mean: [0, 0, 0], std: [1, 1, 1]}]",
                        "must be used once, after to_tensor");
  expect_pipeline_error("[pil_to_tensor, normalize: {mean: [0, 0, 0], std: [1, 1, 1]}]",
                        "after to_tensor");
  expect_pipeline_error("[to_tensor, to_tensor]", "already a tensor");
  expect_pipeline_error("[to_tensor, normalize: {mean: [0, 0], std: [1, 1, 1]}]",
                        "must be a list of 3 numbers");
  expect_pipeline_error("[to_tensor, normalize: {mean: [0, 0, 0], std: [0, 1, 1]}]",
                        "out of range");
  expect_pipeline_error("[resize]", "resize: must be a single value");
  expect_pipeline_error("[center_crop: 0]", "center_crop: 0 is out of range");
  expect_pipeline_error("[random_resized_crop: {scale: [0.1, 1]}]", "needs a size");
  expect_pipeline_error("[random_resized_crop: {size: 8, ratio: [2, 1]}]",
                        "must be [smallest, largest]");
  expect_pipeline_error("[horizontal_flip: {p: 2}]", "p: 2 is out of range");
  expect_pipeline_error("[to_tensor: {dtype: uint8}]", "to_tensor: takes no options");
  expect_pipeline_error("to_tensor", "must be a list of transforms");
}

}  // namespace
}  // namespace feedrate
