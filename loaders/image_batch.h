// SPDX-License-Identifier: Apache-2.0
// A batch of images that the device is going to transform: each with its plan before its bytes,
// which are its pixels or its file, one after another. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <vector>

#include "core/image_plan.h"
#include "core/units.h"

namespace feedrate {

/// Where one image stands in the bytes of a batch.
struct BatchedImage {
  ImagePlan plan{};
  std::size_t offset = 0;  ///< of its bytes
  std::size_t size = 0;
};

/// What an image of `size` bytes takes with its plan.
[[nodiscard]] std::size_t batched_bytes(std::size_t size) noexcept;

/// Writes the image to the beginning of `room`, and returns what it takes. REQUIRES: it fits
std::size_t append_image(MutableBytes room, const ImagePlan& plan, Bytes image);

/// All images of a batch, in their order. REQUIRES: `batch` was made by append_image()
[[nodiscard]] std::vector<BatchedImage> images_of(Bytes batch);

}  // namespace feedrate
