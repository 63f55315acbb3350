// SPDX-License-Identifier: Apache-2.0
// From encoded bytes to pixels.
#pragma once
#include <memory>

#include "core/units.h"
#include "loaders/decode/image.h"
#include "loaders/decode/selection.h"

namespace feedrate {

/// Holds codec state: one per worker, never shared.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Decodes to 3-channel RGB, as Pillow's Image.open(...).convert("RGB") does: grey is repeated,
  /// palettes are looked up, alpha is dropped, 16 bits lose their low byte, CMYK is converted; EXIF
  /// orientation is not applied. Throws FormatError on damaged or unsupported data; the message has
  /// no location, the caller adds it.
  virtual void decode(Bytes encoded, Image& image) = 0;
  /// Decodes at least what `select` picks from the image, which it calls once; returns where in
  /// `image` that lies. The pixels there are those of decode(), unless the decoder scales. Throws
  /// as decode() does, but damage behind the selected part may stay unseen.
  virtual CropBox decode_part(Bytes encoded, const Select& select, Image& image) {
    decode(encoded, image);
    return select(image.shape).box;
  }
  /// The shape decode() would give, from the header alone.
  [[nodiscard]] virtual ImageShape shape(Bytes encoded) = 0;
  /// Whether it is stored as four inks, CMYK, which few decoders take; throws as shape() does.
  [[nodiscard]] virtual bool has_inks(Bytes /*encoded*/) { return false; }
};

/// Tells JPEG from PNG by the first bytes, as Pillow does.
[[nodiscard]] std::unique_ptr<Decoder> make_decoder(Decoding decoding = Decoding::kFast);

}  // namespace feedrate
