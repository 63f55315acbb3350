// Where the pixels lie in a PNG file of the most common kinds.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.h"
#include "decode/image.h"

namespace feedrate {

struct PlainPng {
  ImageShape shape;  ///< 1 channel is grey, 3 are RGB, 4 are RGBA
  Bytes stream;      ///< the zlib stream of all rows; in the file or in `joined`

  /// Of one row before it is decoded: a byte that names its filter, then the pixels.
  [[nodiscard]] std::size_t row_bytes() const noexcept {
    return 1 + static_cast<std::size_t>(shape.width) * static_cast<std::size_t>(shape.channels);
  }
  [[nodiscard]] std::size_t raw_bytes() const noexcept {
    return row_bytes() * static_cast<std::size_t>(shape.height);
  }
};

/// Nothing unless the file is grey, RGB or RGBA of 8 bits, not interlaced, and nothing about it is
/// unusual, wrong or too large: libpng then takes it or says what is wrong. The checksums of all
/// chunks are checked; the stream is not. `joined` holds the parts of a stream that has several.
[[nodiscard]] std::optional<PlainPng> find_plain_png(Bytes file, std::vector<std::byte>& joined);

}  // namespace feedrate
