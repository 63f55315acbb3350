// SPDX-License-Identifier: Apache-2.0
// Sizes at which a JPEG may be decoded. Pure functions; any thread.
#pragma once
#include "loaders/decode/selection.h"

namespace feedrate {

/// The smallest size, in eighths, at which the box still has as many pixels as wanted: 1, 2, 4 or
/// 8, the sizes for which libjpeg-turbo has SIMD code.
[[nodiscard]] int eighths_for(const Selection& wanted);

/// The pixels, at `eighths` of the image size, that `box` touches.
[[nodiscard]] CropBox scaled(const CropBox& box, int eighths);

}  // namespace feedrate
