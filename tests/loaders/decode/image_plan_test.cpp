// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/image_plan.h"

#include "tests/support/matchers.h"

namespace feedrate {
namespace {

PipelineSpec spec_of(std::vector<ImageTransform> transforms) {
  PipelineSpec spec;
  spec.transforms = std::move(transforms);
  return spec;
}

ImagePlan plan_of(std::vector<ImageTransform> transforms, const ImageShape& whole,
                  std::uint64_t seed = 0) {
  RandomStream random(seed);
  return plan_image(spec_of(std::move(transforms)), whole, random);
}

TEST(ImagePlan, makes_the_same_draws_as_the_transforms) {
  const RandomResizedCrop crop{.height = 24, .width = 32};
  const ImageShape whole{40, 48, 3};
  int flipped = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const ImagePlan plan = plan_of({crop, RandomHorizontalFlip{}}, whole, seed);
    RandomStream random(seed);
    const CropBox box = random_crop_box(crop, whole, random);
    EXPECT_EQ((CropBox{plan.box_top, plan.box_left, plan.box_height, plan.box_width}), box);
    EXPECT_EQ(plan.flipped == 1, random.uniform() < 0.5);
    EXPECT_EQ(plan.resized_height, 24);
    EXPECT_EQ(plan.resized_width, 32);
    flipped += plan.flipped;
  }
  EXPECT_GT(flipped, 16);
  EXPECT_LT(flipped, 48);
}

TEST(ImagePlan, flipping_twice_is_no_flip) {
  EXPECT_EQ(plan_of({CenterCrop{4, 4}, RandomHorizontalFlip{1}, RandomHorizontalFlip{1}}, {8, 8, 3})
                .flipped,
            0);
}

TEST(ImagePlan, of_a_resize_and_a_center_crop_begins_within_the_resized_image) {
  const ImagePlan plan = plan_of({Resize{32, {}}, CenterCrop{24, 24}}, {64, 128, 3});
  EXPECT_EQ(plan.box_height, 64);
  EXPECT_EQ(plan.box_width, 128);
  EXPECT_EQ(plan.resized_height, 32);
  EXPECT_EQ(plan.resized_width, 64);
  EXPECT_EQ(plan.top, 4);
  EXPECT_EQ(plan.left, 20);
}

TEST(ImagePlan, of_a_crop_that_is_larger_begins_before_the_image) {
  const ImagePlan plan = plan_of({CenterCrop{10, 9}}, {5, 4, 3});
  EXPECT_EQ(plan.top, -2);
  EXPECT_EQ(plan.left, -2);
}

TEST(ImagePlan, exists_for_the_usual_pipelines) {
  EXPECT_EQ(why_no_plan(spec_of({RandomResizedCrop{}, RandomHorizontalFlip{}})), "");
  EXPECT_EQ(why_no_plan(spec_of({Resize{256, {}}, CenterCrop{224, 224}})), "");
  EXPECT_EQ(why_no_plan(spec_of({Resize{32, 32}})), "");
}

TEST(ImagePlan, does_not_exist_for_another_order) {
  EXPECT_THAT(why_no_plan(spec_of({RandomHorizontalFlip{}, RandomResizedCrop{}})),
              HasSubstr("in this order"));
  EXPECT_THAT(why_no_plan(spec_of({Resize{32, 32}, Resize{16, 16}})), HasSubstr("in this order"));
}

TEST(ImagePlan, needs_images_of_one_size) {
  EXPECT_THAT(why_no_plan(spec_of({})), HasSubstr("in one size"));
  EXPECT_THAT(why_no_plan(spec_of({Resize{256, {}}, RandomHorizontalFlip{}})),
              HasSubstr("in one size"));
}

}  // namespace
}  // namespace feedrate
