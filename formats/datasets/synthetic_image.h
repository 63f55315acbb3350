// SPDX-License-Identifier: Apache-2.0
// One synthetic image that compresses as a photograph does. Why this model: docs/adr/0004.
#pragma once
#include "core/image_shape.h"
#include "core/random.h"
#include "loaders/decode/image.h"

namespace feedrate {

/// What the images of a dataset look like; amplitudes in grey levels of 255.
struct SceneStyle {
  double texture = 25.0;   ///< of surfaces, on average; varies from surface to surface
  double sharpness = 1.0;  ///< of the octave of single pixels against the others, no amplitude
  double grain = 2.0;      ///< of the sensor's noise
};

/// Opaque ellipses of all sizes, one before the other (dead leaves), each with its own colour,
/// shading, focus and 1/f texture; then the sensor's noise. A function of its arguments only.
/// REQUIRES: shape has 3 channels and is not empty
void draw_synthetic_image(const ImageShape& shape, const SceneStyle& style, RandomStream random,
                          Image& image);

}  // namespace feedrate
