// SPDX-License-Identifier: Apache-2.0
#include "formats/payload.h"

#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Payload, is_recognized_by_its_first_bytes) {
  EXPECT_EQ(extension_for(bytes_of(kJpegStart)), ".jpg");
  EXPECT_EQ(extension_for(bytes_of(kPngStart)), ".png");
  EXPECT_EQ(extension_for(bytes_of("GIF89a")), "");
  EXPECT_EQ(extension_for(bytes_of("\xFF\xD8")), "");
  EXPECT_EQ(extension_for({}), "");
}

TEST(Payload, of_an_absurd_size_is_refused) {
  EXPECT_NO_THROW(require_plausible_size(kMaxRecordBytes, {.file = "x"}));
  EXPECT_THROW(require_plausible_size(kMaxRecordBytes + 1, {.file = "x"}), FormatError);
}

TEST(Payload, of_pixels_must_be_as_long_as_its_shape_says) {
  auto record = pixel_record("a");
  EXPECT_NO_THROW(require_payload(record.view(), Payload::kPixels, "x"));
  record.payload.pop_back();
  EXPECT_THROW(require_payload(record.view(), Payload::kPixels, "x"), FormatError);
}

}  // namespace
}  // namespace feedrate::testing
