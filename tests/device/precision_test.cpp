// SPDX-License-Identifier: Apache-2.0
#include "device/precision.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "device/work.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Precision, has_names) {
  for (const Precision precision : precisions()) {
    EXPECT_EQ(precision_from_string(to_string(precision)), precision);
  }
  EXPECT_THAT([] { static_cast<void>(precision_from_string("fp4")); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("'fp4'"), HasSubstr("fp32, tf32, bf16, fp16, fp8"))));
}

TEST(Precision, that_an_older_gpu_lacks_is_reported) {
  EXPECT_THAT(why_no_precision(Precision::kBf16, 7, 0),
              AllOf(HasSubstr("bf16"), HasSubstr("7.0"), HasSubstr("fp16 or fp32")));
  EXPECT_NE(why_no_precision(Precision::kTf32, 7, 5), "");
  EXPECT_EQ(why_no_precision(Precision::kFp16, 7, 0), "");
  EXPECT_EQ(why_no_precision(Precision::kFp32, 7, 0), "");
  EXPECT_EQ(why_no_precision(Precision::kBf16, 8, 0), "");
  EXPECT_EQ(why_no_precision(Precision::kTf32, 12, 0), "");
  EXPECT_THAT(why_no_precision(Precision::kFp8, 8, 6), HasSubstr("8.9"));
  EXPECT_EQ(why_no_precision(Precision::kFp8, 8, 9), "");
  EXPECT_EQ(why_no_precision(Precision::kFp8, 9, 0), "");
}

TEST(Precision, takes_one_two_or_four_bytes) {
  EXPECT_EQ(bytes_of(Precision::kFp8), 1U);
  EXPECT_EQ(result_bytes_of(Precision::kFp8), 2U);
  EXPECT_EQ(result_bytes_of(Precision::kBf16), 2U);
  EXPECT_EQ(bytes_of(Precision::kTf32), 4U);
  EXPECT_EQ(bytes_of(Precision::kBf16), 2U);
}

TEST(Gemm, multiplies_and_adds) {
  const std::array<Gemm, 2> gemms{{{2, 3, 4, 5}, {1, 1, 1, 1}}};
  EXPECT_EQ(flops_of(gemms), 2 * 2 * 3 * 4 * 5 + 2);
  EXPECT_EQ(bytes_of(gemms[0], Precision::kFp16), 2 * (8 + 12 + 6));
  EXPECT_EQ(bytes_of(gemms[0], Precision::kFp8), 8 + 12 + 2 * 6);
}

}  // namespace
}  // namespace feedrate
