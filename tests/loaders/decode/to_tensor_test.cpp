// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/to_tensor.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tests/loaders/decode/golden.h"

namespace feedrate {
namespace {

std::vector<float> tensor_of(const Image& image, const std::optional<Normalize>& normalize) {
  std::vector<float> tensor(image.shape.size());
  to_float_tensor(image, tensor_values(normalize), std::as_writable_bytes(std::span(tensor)));
  return tensor;
}

// values.png has every byte in every channel. The results equal torch's bit for bit.
TEST(ToFloatTensor, gives_the_floats_that_torchvision_gives) {
  const Image image = golden::decode("values.png");
  EXPECT_EQ(tensor_of(image, {}), golden::read_floats("values.f32"));
  const Normalize imagenet{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};
  EXPECT_EQ(tensor_of(image, imagenet), golden::read_floats("normalized.f32"));
}

TEST(ToFloatTensor, puts_channels_first) {
  Image image;
  image.reset({1, 2, 3});
  image.pixels = {0, 51, 102, 153, 204, 255};
  EXPECT_EQ(tensor_of(image, {}), (std::vector<float>{0.0F, 0.6F, 0.2F, 0.8F, 0.4F, 1.0F}));
}

TEST(ToFloatTensor, writes_to_unaligned_memory) {
  const Image image = golden::decode("values.png");
  std::vector<std::byte> memory(image.shape.size() * sizeof(float) + 1);
  to_float_tensor(image, tensor_values({}), MutableBytes(memory).subspan(1));
  EXPECT_EQ(std::memcmp(memory.data() + 1, tensor_of(image, {}).data(), memory.size() - 1), 0);
}

TEST(ToHalfTensor, puts_channels_first_and_rounds) {
  Image image;
  image.reset({1, 2, 3});
  image.pixels = {0, 51, 102, 153, 204, 255};
  std::vector<std::uint16_t> tensor(6);
  to_half_tensor(image, rounded_to_half(tensor_values({})),
                 std::as_writable_bytes(std::span(tensor)));
  // 0, 0.6, 0.2, 0.8, 0.4, 1
  EXPECT_EQ(tensor, (std::vector<std::uint16_t>{0, 0x38cd, 0x3266, 0x3a66, 0x3666, 0x3c00}));
}

TEST(ToUint8Tensor, puts_channels_first_and_keeps_the_bytes) {
  Image image;
  image.reset({1, 2, 3});
  image.pixels = {1, 2, 3, 4, 5, 6};
  std::vector<std::uint8_t> tensor(6);
  to_uint8_tensor(image, std::as_writable_bytes(std::span(tensor)));
  EXPECT_EQ(tensor, (std::vector<std::uint8_t>{1, 4, 2, 5, 3, 6}));
}

}  // namespace
}  // namespace feedrate
