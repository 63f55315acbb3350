// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/record_pixels.h"

#include <cstring>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/decode/pixel_limit.h"

namespace feedrate {
namespace {

ImageShape checked_rgb_shape(const Record& record) {
  if (record.kind == Payload::kBytes) {
    throw FormatError(
        "record holds opaque bytes, not an image; use pipeline.transforms: [resize_bytes: N], "
        "tokens or sample_points");
  }
  const ImageShape& shape = record.shape;
  check_pixel_count("record", shape.height, shape.width);
  if (shape.channels != 1 && shape.channels != 3) {
    throw FormatError(
        fmt::format("record has {} channels; must have 1 (grayscale) or 3 (RGB)", shape.channels));
  }
  if (record.payload.size() != shape.size()) {
    throw FormatError(fmt::format("record holds {} bytes; {}×{}×{} pixels need {}",
                                  record.payload.size(), shape.height, shape.width, shape.channels,
                                  shape.size()));
  }
  return {shape.height, shape.width, 3};
}

void copy_pixels(const Record& record, Image& image) {
  image.reset(checked_rgb_shape(record));
  if (record.shape.channels == 3) {
    std::memcpy(image.pixels.data(), record.payload.data(), record.payload.size());
    return;
  }
  std::uint8_t* pixel = image.pixels.data();
  for (const std::byte gray : record.payload) {
    for (int channel = 0; channel < 3; ++channel) *pixel++ = std::to_integer<std::uint8_t>(gray);
  }
}

}  // namespace

Image& RecordPixels::decode(const Record& record) {
  if (record.kind == Payload::kEncoded) {
    decoder_->decode(record.payload, image_);
  } else {
    copy_pixels(record, image_);
  }
  return image_;
}

PixelView RecordPixels::decode_part(const Record& record, const Select& select) {
  if (record.kind == Payload::kEncoded) {
    return view_of(image_, decoder_->decode_part(record.payload, select, image_));
  }
  if (record.shape.channels != 3) {
    copy_pixels(record, image_);
    return view_of(image_, select(image_.shape).box);
  }
  const ImageShape shape = checked_rgb_shape(record);
  const auto* const pixels = reinterpret_cast<const std::uint8_t*>(record.payload.data());
  return view_of(pixels, shape, select(shape).box);
}

ImageShape RecordPixels::shape(const Record& record) {
  return record.kind == Payload::kEncoded ? decoder_->shape(record.payload)
                                          : checked_rgb_shape(record);
}

}  // namespace feedrate
