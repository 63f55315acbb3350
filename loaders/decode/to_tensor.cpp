// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/to_tensor.h"

#include <cstring>

namespace feedrate {
namespace {

template <typename Value>
void look_up(const Image& image, const std::array<std::array<Value, 256>, 3>& values,
             MutableBytes out) {
  const std::size_t plane = image.shape.size() / 3;
  const std::uint8_t* pixel = image.pixels.data();
  std::byte* red = out.data();
  std::byte* green = red + plane * sizeof(Value);
  std::byte* blue = green + plane * sizeof(Value);
  // memcpy, because a sample's offset in its batch may be unaligned for the values.
  for (std::size_t i = 0; i < plane * sizeof(Value); i += sizeof(Value), pixel += 3) {
    std::memcpy(red + i, &values[0][pixel[0]], sizeof(Value));
    std::memcpy(green + i, &values[1][pixel[1]], sizeof(Value));
    std::memcpy(blue + i, &values[2][pixel[2]], sizeof(Value));
  }
}

}  // namespace

TensorValues tensor_values(const std::optional<Normalize>& normalize) {
  const Normalize spread = normalize.value_or(Normalize{});
  TensorValues values{};
  for (std::size_t c = 0; c < values.size(); ++c) {
    for (std::size_t byte = 0; byte < values[c].size(); ++byte) {
      values[c][byte] = (static_cast<float>(byte) / 255.0F - spread.mean[c]) / spread.std[c];
    }
  }
  return values;
}

HalfValues rounded_to_half(const TensorValues& values) {
  HalfValues halves{};
  for (std::size_t c = 0; c < values.size(); ++c) {
    for (std::size_t byte = 0; byte < values[c].size(); ++byte) {
      halves[c][byte] = to_half(values[c][byte]);
    }
  }
  return halves;
}

void to_float_tensor(const Image& image, const TensorValues& values, MutableBytes out) {
  look_up(image, values, out);
}

void to_half_tensor(const Image& image, const HalfValues& values, MutableBytes out) {
  look_up(image, values, out);
}

void to_uint8_tensor(const Image& image, MutableBytes out) {
  const std::size_t plane = image.shape.size() / 3;
  const std::uint8_t* pixel = image.pixels.data();
  std::byte* red = out.data();
  std::byte* green = red + plane;
  std::byte* blue = green + plane;
  for (std::size_t i = 0; i < plane; ++i, pixel += 3) {
    red[i] = std::byte{pixel[0]};
    green[i] = std::byte{pixel[1]};
    blue[i] = std::byte{pixel[2]};
  }
}

}  // namespace feedrate
