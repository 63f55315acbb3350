// From encoded bytes to pixels.
#pragma once
#include <memory>

#include "core/units.h"
#include "decode/image.h"

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
  /// The shape decode() would give, from the header alone.
  [[nodiscard]] virtual ImageShape shape(Bytes encoded) = 0;
};

/// Tells JPEG from PNG by the first bytes, as Pillow does.
[[nodiscard]] std::unique_ptr<Decoder> make_decoder();

}  // namespace feedrate
