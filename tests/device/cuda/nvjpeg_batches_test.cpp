// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvjpeg_batches.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/fake_nvjpeg.h"
#include "tests/support/fake_of.h"

namespace feedrate::nvjpeg {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class NvjpegBatches : public ::testing::Test {
 protected:
  void SetUp() override { fake_ = {}; }

  void open() {
    decoder_ = std::make_unique<BatchDecoder>(
        Library({.names = {FAKE_NVJPEG}, .environment_variable = "FEEDRATE_NO_SUCH_VARIABLE"}));
  }

  // Returns the library's calls for a batch of these files.
  std::vector<std::string> decode(const std::vector<std::string_view>& files) {
    std::vector<EncodedImage> images;
    for (const std::string_view file : files) {
      images.push_back({std::as_bytes(std::span(file.data(), file.size())), 0, 1, 1});
    }
    fake_.calls.clear();
    decoder_->decode(images, pixels_, nullptr);
    return fake_.calls;
  }

  testing::FakeNvjpeg& fake_ =
      *testing::function_of_fake<decltype(fake_nvjpeg)>(FAKE_NVJPEG, "fake_nvjpeg")();
  std::unique_ptr<BatchDecoder> decoder_;
  std::byte pixels_[3]{};
};

TEST_F(NvjpegBatches, kernels_decode_files_that_the_hardware_cannot) {
  open();
  EXPECT_EQ(decoder_->name(), "nvJPEG 13.3, hardware decoder");
  EXPECT_THAT(decode({"a", "progressive", "b"}),
              ElementsAre("hardware: prepare 2", "hardware: decode a, b", "kernels: prepare 1",
                          "kernels: decode progressive"));
}

TEST_F(NvjpegBatches, kernels_decode_everything_without_hardware) {
  fake_.has_hardware = false;
  open();
  EXPECT_EQ(decoder_->name(), "nvJPEG 13.3, no hardware decoder");
  EXPECT_THAT(decode({"a", "progressive"}),
              ElementsAre("kernels: prepare 2", "kernels: decode a, progressive"));
}

TEST_F(NvjpegBatches, are_prepared_again_only_for_another_size) {
  open();
  decode({"a", "b"});
  EXPECT_THAT(decode({"c", "d"}), ElementsAre("hardware: decode c, d"));
  EXPECT_THAT(decode({"e"}), ElementsAre("hardware: prepare 1", "hardware: decode e"));
  EXPECT_THAT(decode({}), ElementsAre());
}

TEST_F(NvjpegBatches, are_prepared_again_after_a_failed_batch) {
  fake_.has_hardware = false;
  open();
  decode({"a"});
  EXPECT_THROW(decode({"damaged"}), FormatError);
  EXPECT_THAT(decode({"b"}), ElementsAre("kernels: prepare 1", "kernels: decode b"));
}

TEST_F(NvjpegBatches, contain_no_files_of_a_failed_batch) {
  open();
  fake_.hardware_status = kBadJpeg;
  EXPECT_THROW(decode({"a", "progressive"}), FormatError);
  fake_.hardware_status = kSuccess;
  EXPECT_THAT(decode({"progressive too"}),
              ElementsAre("kernels: prepare 1", "kernels: decode progressive too"));
  fake_.kernels_status = 6;
  EXPECT_THROW(decode({"progressive"}), DeviceError);
  fake_.kernels_status = kSuccess;
  EXPECT_THAT(decode({"b"}), ElementsAre("hardware: prepare 1", "hardware: decode b"));
}

TEST_F(NvjpegBatches, are_decoded_by_kernels_once_the_hardware_has_failed) {
  open();
  fake_.hardware_status = 6;
  EXPECT_THAT(decode({"a", "progressive"}),
              ElementsAre("hardware: prepare 1", "hardware: decode a", "kernels: prepare 2",
                          "kernels: decode progressive, a"));
  EXPECT_THAT(decoder_->name(), AllOf(HasSubstr("hardware decoder failed"), HasSubstr("status 6")));
  EXPECT_THAT(decode({"b", "c"}), ElementsAre("kernels: decode b, c"));
}

TEST_F(NvjpegBatches, report_which_file_is_refused) {
  open();
  EXPECT_THAT(
      [&] {
        decode({"a", "b", "damaged"});
      },
      ThrowsMessage<FormatError>(AllOf(HasSubstr("file 2"), HasSubstr("status 3"))));
  fake_.kernels_status = kIncomplete;  // No header shows it.
  EXPECT_THAT(
      [&] {
        decode({"a", "progressive"});
      },
      ThrowsMessage<FormatError>(HasSubstr("one of 2 files in the batch")));
}

}  // namespace
}  // namespace feedrate::nvjpeg
