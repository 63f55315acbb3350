// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/jpeg_scale.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(JpegScale, is_the_smallest_that_holds_both_sides) {
  EXPECT_EQ(eighths_for({{0, 0, 800, 800}, 100, 100}), 1);
  EXPECT_EQ(eighths_for({{5, 5, 800, 800}, 101, 100}), 2);
  EXPECT_EQ(eighths_for({{5, 5, 800, 800}, 100, 201}), 4);
  EXPECT_EQ(eighths_for({{5, 5, 800, 800}, 401, 1}), 8);
  EXPECT_EQ(eighths_for({{0, 0, 10, 10}, 1000, 1000}), 8);
  EXPECT_EQ(eighths_for({{0, 0, 2'000'000'000, 2'000'000'000}, 250'000'001, 1}), 2);
}

TEST(JpegScale, keeps_every_pixel_that_the_box_touches) {
  EXPECT_EQ(scaled({3, 5, 7, 9}, 8), (CropBox{3, 5, 7, 9}));
  EXPECT_EQ(scaled({3, 5, 7, 9}, 4), (CropBox{1, 2, 4, 5}));
  EXPECT_EQ(scaled({8, 16, 8, 16}, 1), (CropBox{1, 2, 1, 2}));
  EXPECT_EQ(scaled({7, 15, 2, 2}, 1), (CropBox{0, 1, 2, 2}));
}

}  // namespace
}  // namespace feedrate
