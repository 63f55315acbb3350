// SPDX-License-Identifier: Apache-2.0
#include "bench/trainers/step_gemms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

double flops_of_model(std::string_view model, double samples) {
  return flops_of(scaled(model_gemms(model), samples));
}

TEST(ParseGemms, reads_sizes_and_times) {
  const std::vector<StepGemm> gemms = parse_gemms("4096x1024x512*8  16x8x4");
  ASSERT_THAT(gemms, SizeIs(2));
  EXPECT_EQ(gemms[0].gemm, (Gemm{4096, 1024, 512, 8}));
  EXPECT_EQ(gemms[1].gemm, (Gemm{16, 8, 4, 1}));
  EXPECT_EQ(gemms[0].grows, BatchDimension::kN);
}

TEST(ParseGemms, refuses_invalid_products) {
  for (const char* text : {"1", "1x2", "1x2x", "1x2x3x4", "1x2x3*", "1x2x3*0", "0x2x3", "-1x2x3",
                           "1x2x3*4*5", "1x2x99999999", "axbxc", "1x2x3 *4", "1,2,3"}) {
    EXPECT_THAT([&] { static_cast<void>(parse_gemms(text)); },
                ThrowsMessage<ConfigError>(HasSubstr("must be MxNxK")))
        << text;
  }
  EXPECT_THROW(static_cast<void>(parse_gemms(" ")), ConfigError);
}

TEST(ScaledGemms, grow_in_the_batch_dimension) {
  const std::vector<StepGemm> gemms{{{10, 20, 30, 2}, BatchDimension::kN},
                                    {{10, 20, 30, 1}, BatchDimension::kK}};
  const std::vector<Gemm> twice = scaled(gemms, 2.0);
  EXPECT_EQ(twice[0], (Gemm{10, 40, 30, 2}));
  EXPECT_EQ(twice[1], (Gemm{10, 20, 60, 1}));
  EXPECT_EQ(scaled(gemms, 0.001)[0].n, 1);  // never 0
}

// Forward and backward are three times the forward pass; a multiply-add is two operations.
TEST(Models, have_the_flops_of_their_sources) {
  EXPECT_EQ(flops_of_model("resnet50", 1), 3 * 2 * 4'089'184'256.0);
  EXPECT_EQ(flops_of_model("surf-cifar10", 1), 3 * 2 * 16'232'448.0);
}

TEST(Models, grow_with_the_batch) {
  EXPECT_EQ(flops_of_model("resnet50", 64), 64 * flops_of_model("resnet50", 1));
}

TEST(Models, begin_with_the_first_convolution_and_end_with_its_gradients) {
  const std::vector<Gemm> gemms = scaled(model_gemms("resnet50"), 2);
  EXPECT_EQ(gemms.front(), (Gemm{64, 2 * 112 * 112, 3 * 7 * 7, 1}));
  EXPECT_EQ(gemms[gemms.size() - 2], (Gemm{3 * 7 * 7, 2 * 112 * 112, 64, 1}));
  EXPECT_EQ(gemms.back(), (Gemm{64, 3 * 7 * 7, 2 * 112 * 112, 1}));
}

TEST(Models, an_unknown_model_lists_the_known_ones) {
  EXPECT_THAT([] { static_cast<void>(model_gemms("alexnet")); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("'alexnet'"), HasSubstr("surf-cifar10, resnet50"))));
}

}  // namespace
}  // namespace feedrate
