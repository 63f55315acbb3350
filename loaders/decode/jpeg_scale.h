// SPDX-License-Identifier: Apache-2.0
// How much smaller than it is a JPEG may be decoded. Pure functions; any thread.
#pragma once
#include "loaders/decode/selection.h"

namespace feedrate {

/// The smallest of the sizes, in eighths, at which the box still has as many pixels as are wanted.
/// Only those sizes that libjpeg-turbo has vector code for: 1, 2, 4 and 8.
[[nodiscard]] int eighths_for(const Selection& wanted);

/// The pixels, at N eighths of the image size, that `box` touches.
[[nodiscard]] CropBox scaled(const CropBox& box, int eighths);

}  // namespace feedrate
