// SPDX-License-Identifier: Apache-2.0
// Parts against the whole: what is taken as a whole is taken in parts, with the same pixels. Of a
// file that is refused as a whole a part may be taken, as its damage may lie behind the part.
#include <algorithm>
#include <cstddef>

#include "core/crc32.h"
#include "core/random.h"
#include "loaders/decode/jpeg_decoder.h"
#include "loaders/decode/resample.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"
#include "tests/support/random_box.h"

namespace feedrate::fuzz {
namespace {

/// Larger images only take longer: a progressive one may have hundreds of scans.
constexpr std::size_t kMostValues = 3U << 17;
constexpr int kParts = 3;

void require_within(const CropBox& placed, const Image& image) {
  const bool is_within = placed.top >= 0 && placed.left >= 0 && placed.height > 0 &&
                         placed.width > 0 && placed.top + placed.height <= image.shape.height &&
                         placed.left + placed.width <= image.shape.width;
  if (!is_within) finding("a part is said to lie outside what was decoded");
}

void require_equal(const PixelView& part, const PixelView& whole) {
  if (part.height != whole.height || part.width != whole.width) finding("a part of another size");
  const std::size_t row = std::size_t{3} * static_cast<std::size_t>(whole.width);
  for (int y = 0; y < whole.height; ++y) {
    if (!std::equal(part.row(y), part.row(y) + row, whole.row(y))) {
      finding("a part has other pixels than the whole");
    }
  }
}

/// As it is decoded for a crop that is resized to height × width. Whether it was taken.
bool decode_part(Decoder& decoder, Bytes input, const Selection& wanted, Image& part,
                 CropBox& placed) {
  const auto select = [&](const ImageShape&) { return wanted; };
  const bool is_taken = accepts([&] { placed = decoder.decode_part(input, select, part); });
  if (is_taken) require_within(placed, part);
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
  CropBox placed;
  for (int i = 0; i < kParts; ++i) {
    const CropBox box = testing::random_box(shape, random);
    const Selection small{box, 1 + box.height / 5, 1 + box.width / 5};
    static_cast<void>(decode_part(*scaling, input, small, part, placed));
    const bool part_is_taken =
        decode_part(*decoder, input, {box, box.height, box.width}, part, placed);
    if (!is_taken) continue;
    if (!part_is_taken) finding("a part is refused of what is taken as a whole");
    require_equal(view_of(part, placed), view_of(whole, box));
  }
  return is_taken;
}

}  // namespace feedrate::fuzz
