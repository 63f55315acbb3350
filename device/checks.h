// What every backend checks before it issues a call. Free functions without state.
#pragma once
#include <cstddef>
#include <string_view>

#include "device/work.h"

namespace feedrate {

/// Throws DeviceError, naming `device`, if `source_size` bytes do not fit into `target_size`.
void require_fits(std::string_view device, std::size_t source_size, std::size_t target_size);

/// Throws DeviceError, naming `device`, unless the bytes of `batch` are in `source_size` bytes and
/// its float32 values fit into `target_size`.
void require_images(std::string_view device, const ImageBatch& batch, std::size_t source_size,
                    std::size_t target_size);

}  // namespace feedrate
