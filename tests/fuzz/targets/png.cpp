// SPDX-License-Identifier: Apache-2.0
// Checks that a decoded image has the shape of its header and that every pixel is written.
#include "loaders/decode/decoder.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

/// Larger images only take longer.
constexpr std::size_t kMostPngValues = 3U << 20;

}  // namespace

bool png(Bytes input) {
  const auto decoder = make_png_decoder();
  ImageShape shape;
  if (!accepts([&] { shape = decoder->shape(input); })) return false;
  if (shape.size() > kMostPngValues) return false;
  Image on_black{.shape = {}, .pixels = std::vector<std::uint8_t>(shape.size(), 0)};
  if (!accepts([&] { decoder->decode(input, on_black); })) return false;
  Image on_white{.shape = {}, .pixels = std::vector<std::uint8_t>(shape.size(), 255)};
  decoder->decode(input, on_white);
  if (on_black.shape != shape) finding("the shape differs from the header's");
  if (on_black.pixels != on_white.pixels) finding("some pixels are not written");
  return true;
}

}  // namespace feedrate::fuzz
