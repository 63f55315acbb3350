// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"
#include "loaders/decode/sample_pipeline.h"
#include "tests/loaders/decode/allocations.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

std::vector<std::byte> bytes_of(const std::vector<int>& values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

PipelineSpec resize_to(std::size_t size) {
  PipelineSpec spec;
  spec.dtype = SampleDtype::kUint8;
  spec.resize_bytes = size;
  return spec;
}

Record bytes_record(const std::vector<std::byte>& payload, Payload kind = Payload::kBytes) {
  Record record;
  record.payload = payload;
  record.kind = kind;
  return record;
}

std::vector<int> sample_of(const std::vector<int>& payload, std::size_t size) {
  const auto pipeline = make_sample_pipeline(resize_to(size), 1);
  const std::vector<std::byte> bytes = bytes_of(payload);
  const SampleShape shape = pipeline->shape(bytes_record(bytes));
  std::vector<std::byte> out(shape.bytes(), std::byte{99});
  pipeline->make_sample(bytes_record(bytes), 0, 0, shape, out);
  std::vector<int> values;
  for (const std::byte byte : out) values.push_back(std::to_integer<int>(byte));
  return values;
}

TEST(BytesPipeline, cuts_a_longer_record) {
  EXPECT_THAT(sample_of({1, 2, 3, 4}, 3), ElementsAre(1, 2, 3));
}

TEST(BytesPipeline, fills_a_shorter_record_up_with_zeros) {
  EXPECT_THAT(sample_of({1, 2}, 4), ElementsAre(1, 2, 0, 0));
  EXPECT_THAT(sample_of({}, 2), ElementsAre(0, 0));
}

TEST(BytesPipeline, has_one_shape_for_any_record) {
  const auto pipeline = make_sample_pipeline(resize_to(5), 1);
  EXPECT_EQ(pipeline->shape(bytes_record({})), (SampleShape{1, 1, 5, SampleDtype::kUint8}));
  EXPECT_EQ(pipeline->shape(bytes_record({})).bytes(), 5U);
}

TEST(BytesPipeline, decodes_nothing) {
  const std::vector<std::byte> bytes = bytes_of({9, 8, 7});
  const auto pipeline = make_sample_pipeline(resize_to(2), 1);
  std::vector<std::byte> out(2);
  pipeline->make_sample(bytes_record(bytes, Payload::kEncoded), 0, 0, pipeline->shape({}), out);
  EXPECT_EQ(out, bytes_of({9, 8}));
  EXPECT_EQ(pipeline->times().decode, Nanos(0));
}

TEST(BytesPipeline, allocates_nothing_for_a_sample) {
  const std::vector<std::byte> bytes(1000);
  const auto pipeline = make_sample_pipeline(resize_to(500), 1);
  const SampleShape shape = pipeline->shape({});
  std::vector<std::byte> out(500);
  const std::size_t before = allocations();
  pipeline->make_sample(bytes_record(bytes), 0, 0, shape, out);
  EXPECT_EQ(allocations(), before);
}

TEST(BytesPipeline, stands_alone) {
  PipelineSpec with_crop = resize_to(5);
  with_crop.transforms = {CenterCrop{}};
  EXPECT_THAT([&] { (void)make_sample_pipeline(with_crop, 1); },
              ThrowsMessage<ConfigError>(HasSubstr("resize_bytes must be the only transform")));
  EXPECT_THAT([&] { (void)make_sample_pipeline(resize_to(0), 1); },
              ThrowsMessage<ConfigError>(HasSubstr("resize_bytes is 0")));
}

TEST(ImagePipeline, names_the_transforms_that_take_opaque_bytes) {
  const std::vector<std::byte> bytes = bytes_of({1, 2, 3});
  const auto pipeline = make_sample_pipeline({{Resize{2, 2}}, SampleDtype::kUint8, {}}, 1);
  EXPECT_THAT([&] { (void)pipeline->shape(bytes_record(bytes)); },
              ThrowsMessage<FormatError>(HasSubstr("use pipeline.transforms: [resize_bytes: N]")));
  std::vector<std::byte> out(12);
  EXPECT_THAT(
      [&] {
        pipeline->make_sample(bytes_record(bytes), 0, 0, {3, 2, 2, SampleDtype::kUint8}, out);
      },
      ThrowsMessage<FormatError>(HasSubstr("opaque bytes")));
}

}  // namespace
}  // namespace feedrate
