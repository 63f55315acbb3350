// SPDX-License-Identifier: Apache-2.0
// From pixels to encoded bytes: for making and converting datasets, never measured.
#pragma once
#include <cstddef>
#include <vector>

#include "loaders/decode/image.h"

namespace feedrate {

/// Baseline JPEG, 4:2:0, as Pillow's save(quality=...) writes it.
[[nodiscard]] std::vector<std::byte> encode_jpeg(const Image& image, int quality);
/// Lossless; 8-bit RGB.
[[nodiscard]] std::vector<std::byte> encode_png(const Image& image);

}  // namespace feedrate
