// SPDX-License-Identifier: Apache-2.0
// Draws synthetic images that compress like photographs. docs/adr/0004 explains the model.
#pragma once
#include "core/image_shape.h"
#include "core/random.h"
#include "loaders/decode/image.h"

namespace feedrate {

/// The look of a dataset's images; amplitudes in gray levels, 0 to 255.
struct SceneStyle {
  double texture = 25.0;   ///< mean amplitude of a surface's texture
  double sharpness = 1.0;  ///< factor of the octave of single pixels
  double grain = 2.0;      ///< amplitude of the sensor's noise
};

/// Draws opaque ellipses of all sizes that hide one another (dead leaves), each with its own color,
/// shading, focus and 1/f texture; then the sensor's noise. A function of its arguments only.
/// REQUIRES: shape has 3 channels and is not empty
void draw_synthetic_image(const ImageShape& shape, const SceneStyle& style, RandomStream random,
                          Image& image);

}  // namespace feedrate
