// SPDX-License-Identifier: Apache-2.0
// Decoders: they turn encoded bytes into pixels.
#pragma once
#include <memory>

#include "core/units.h"
#include "loaders/decode/image.h"
#include "loaders/decode/selection.h"

namespace feedrate {

/// Has codec state; each worker needs its own.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Decodes to 3-channel RGB, as Pillow's Image.open(...).convert("RGB") does: repeats gray, looks
  /// up palettes, drops alpha, drops the low byte of 16 bits, converts CMYK, and ignores the EXIF
  /// orientation. Throws FormatError on damaged or unsupported data; the caller adds the location.
  virtual void decode(Bytes encoded, Image& image) = 0;
  /// Decodes at least the part that `select` picks, and calls it once; returns the part's box in
  /// `image`. The pixels equal those of decode(), unless the decoder scales. Throws as decode()
  /// does, but may miss damage after the selected part.
  virtual CropBox decode_part(Bytes encoded, const Select& select, Image& image) {
    decode(encoded, image);
    return select(image.shape).box;
  }
  /// The shape that decode() would give; reads only the header.
  [[nodiscard]] virtual ImageShape shape(Bytes encoded) = 0;
  /// Whether the image is stored as CMYK or YCCK, which few decoders support; throws as shape()
  /// does.
  [[nodiscard]] virtual bool is_cmyk(Bytes /*encoded*/) { return false; }
};

/// Detects JPEG and PNG by the first bytes, as Pillow does.
[[nodiscard]] std::unique_ptr<Decoder> make_decoder(Decoding decoding = Decoding::kFast);

/// All values of `decoding` decode whole images alike; decode_part() differs.
[[nodiscard]] std::unique_ptr<Decoder> make_jpeg_decoder(Decoding decoding = Decoding::kFast);

[[nodiscard]] std::unique_ptr<Decoder> make_png_decoder();

}  // namespace feedrate
