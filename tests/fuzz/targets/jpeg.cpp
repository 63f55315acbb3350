// SPDX-License-Identifier: Apache-2.0
// Compares decoded parts with the whole image: if the whole decodes, every part must, with the same
// pixels. If the whole is rejected, a part may still decode, since the damage may be after it.
#include <algorithm>
#include <cstddef>

#include "core/crc32c.h"
#include "core/random.h"
#include "loaders/decode/decoder.h"
#include "loaders/decode/resample.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"
#include "tests/support/random_box.h"

namespace feedrate::fuzz {
namespace {

/// Larger images only take longer: a progressive image may have hundreds of scans.
constexpr std::size_t kMostValues = 3U << 17;
constexpr int kParts = 3;

void require_within(const CropBox& found, const Image& image) {
  const bool is_within = found.top >= 0 && found.left >= 0 && found.height > 0 && found.width > 0 &&
                         found.top + found.height <= image.shape.height &&
                         found.left + found.width <= image.shape.width;
  if (!is_within) finding("the box of a part is outside the decoded image");
}

void require_equal(const PixelView& part, const PixelView& whole) {
  if (part.height != whole.height || part.width != whole.width)
    finding("a part has the wrong size");
  const std::size_t row = std::size_t{3} * static_cast<std::size_t>(whole.width);
  for (int y = 0; y < whole.height; ++y) {
    if (!std::equal(part.row(y), part.row(y) + row, whole.row(y))) {
      finding("the pixels of a part differ from the whole");
    }
  }
}

/// Decodes a part as for a crop that is resized to height × width; returns whether it was accepted.
bool decode_part(Decoder& decoder, Bytes input, const Selection& wanted, Image& part,
                 CropBox& found) {
  const auto select = [&](const ImageShape&) { return wanted; };
  const bool is_taken = accepts([&] { found = decoder.decode_part(input, select, part); });
  if (is_taken) require_within(found, part);
  return is_taken;
}

}  // namespace

bool jpeg(Bytes input) {
  const auto decoder = make_jpeg_decoder();
  ImageShape shape;
  if (!accepts([&] { shape = decoder->shape(input); }) || shape.size() > kMostValues) return false;
  Image whole;
  const bool is_taken = accepts([&] { decoder->decode(input, whole); });
  const auto scaling = make_jpeg_decoder(Decoding::kScaled);
  RandomStream random(crc32(input));
  Image part;
  CropBox found;
  for (int i = 0; i < kParts; ++i) {
    const CropBox box = testing::random_box(shape, random);
    const Selection small{box, 1 + box.height / 5, 1 + box.width / 5};
    static_cast<void>(decode_part(*scaling, input, small, part, found));
    const bool part_is_taken =
        decode_part(*decoder, input, {box, box.height, box.width}, part, found);
    if (!is_taken) continue;
    if (!part_is_taken) finding("a part of a valid image is rejected");
    require_equal(view_of(part, found), view_of(whole, box));
  }
  return is_taken;
}

}  // namespace feedrate::fuzz
