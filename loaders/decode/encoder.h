// SPDX-License-Identifier: Apache-2.0
// Encoders, for making and converting datasets; feedrate never measures them.
#pragma once
#include <cstddef>
#include <vector>

#include "loaders/decode/image.h"

namespace feedrate {

/// Encodes as baseline JPEG, 4:2:0, as Pillow's save(quality=...) does.
[[nodiscard]] std::vector<std::byte> encode_jpeg(const Image& image, int quality);
/// Encodes as 8-bit RGB PNG.
[[nodiscard]] std::vector<std::byte> encode_png(const Image& image);

}  // namespace feedrate
