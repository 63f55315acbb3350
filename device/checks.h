// SPDX-License-Identifier: Apache-2.0
// Checks that every backend makes before it issues a call. The functions have no state.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "device/work.h"

namespace feedrate {

/// Throws DeviceError, naming `device`, if `source_size` bytes do not fit into `target_size`.
void require_fits(std::string_view device, std::size_t source_size, std::size_t target_size);

/// Throws DeviceError, naming `device`, unless the bytes of `batch` are in `source_size` bytes and
/// its float32 values fit into `target_size`.
void require_images(std::string_view device, const ImageBatch& batch, std::size_t source_size,
                    std::size_t target_size);

/// Throws DeviceError, naming `device`, unless each image is within `source_size` bytes, each box
/// is within its image, and all results fit into `target_size`.
void require_planned(std::string_view device, std::span<const PlannedImage> images,
                     const ImageOutput& output, std::size_t source_size, std::size_t target_size);

/// Throws DeviceError, naming `device`, unless the pixels of each file fit into `target_size`.
void require_decoded_fits(std::string_view device, std::span<const EncodedImage> images,
                          std::size_t target_size);

/// Throws DeviceError, naming `device`: `what` ("transforming") cannot be part of a graph.
[[noreturn]] void refuse_capture(std::string_view device, std::string_view what);

}  // namespace feedrate
