// SPDX-License-Identifier: Apache-2.0
#include "device/checks.h"

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

void require_fits(std::string_view device, std::size_t source_size, std::size_t target_size) {
  if (source_size <= target_size) return;
  throw DeviceError(fmt::format("{}: copy of {} bytes to {}: the target must be at least as large",
                                device, source_size, target_size));
}

void require_images(std::string_view device, const ImageBatch& batch, std::size_t source_size,
                    std::size_t target_size) {
  if (batch.values() <= source_size && batch.values() <= target_size / sizeof(float)) return;
  throw DeviceError(
      fmt::format("{}: normalizing {} images of {} pixels needs a source of {} bytes and a target "
                  "of {}, not {} and {}",
                  device, batch.images, batch.pixels, batch.values(),
                  batch.values() * sizeof(float), source_size, target_size));
}

void require_planned(std::string_view device, std::span<const PlannedImage> images,
                     const ImageOutput& output, std::size_t source_size, std::size_t target_size) {
  if (images.size() * output.values() > target_size / sizeof(float)) {
    throw DeviceError(fmt::format("{}: {} images of {}×{} do not fit into {} bytes", device,
                                  images.size(), output.height, output.width, target_size));
  }
  for (const auto& [offset, plan] : images) {
    if (plan.height == 0) continue;
    const std::size_t bytes =
        3 * static_cast<std::size_t>(plan.height) * static_cast<std::size_t>(plan.width);
    const bool is_inside = offset <= source_size && bytes <= source_size - offset;
    const bool has_valid_box = plan.box_top >= 0 && plan.box_left >= 0 && plan.box_height > 0 &&
                               plan.box_width > 0 && plan.resized_height > 0 &&
                               plan.resized_width > 0 &&
                               plan.box_top + plan.box_height <= plan.height &&
                               plan.box_left + plan.box_width <= plan.width;
    if (is_inside && has_valid_box) continue;
    throw DeviceError(fmt::format(
        "{}: an image of {}×{} at offset {} of {} bytes cannot be cropped to {}×{}", device,
        plan.height, plan.width, offset, source_size, plan.box_height, plan.box_width));
  }
}

void require_decoded_fits(std::string_view device, std::span<const EncodedImage> images,
                          std::size_t target_size) {
  for (const EncodedImage& image : images) {
    if (image.offset <= target_size && image.bytes() <= target_size - image.offset) continue;
    throw DeviceError(fmt::format("{}: {}×{} pixels at offset {} do not fit into {} bytes", device,
                                  image.height, image.width, image.offset, target_size));
  }
}

void refuse_capture(std::string_view device, std::string_view what) {
  throw DeviceError(fmt::format(
      "{}: {} cannot be captured; a graph holds burns and prepared kernels", device, what));
}

}  // namespace feedrate
