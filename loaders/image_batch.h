// SPDX-License-Identifier: Apache-2.0
// The layout of a batch of images that the device transforms: each image's plan, then its bytes
// (pixels or a file). Pure functions; any thread.
#pragma once
#include <cstddef>
#include <vector>

#include "core/image_plan.h"
#include "core/units.h"

namespace feedrate {

/// The location of one image in the bytes of a batch.
struct BatchedImage {
  ImagePlan plan{};
  std::size_t offset = 0;  ///< where the image's bytes begin
  std::size_t size = 0;
};

/// Bytes that an image of `size` bytes and its plan take.
[[nodiscard]] std::size_t batched_bytes(std::size_t size) noexcept;

/// Writes the plan and the image to the beginning of `out`; returns the bytes written.
/// REQUIRES: `out` has batched_bytes(image.size()) bytes
std::size_t append_image(MutableBytes out, const ImagePlan& plan, Bytes image);

/// Locates all images of a batch, in order. REQUIRES: append_image() made `batch`
[[nodiscard]] std::vector<BatchedImage> images_of(Bytes batch);

}  // namespace feedrate
