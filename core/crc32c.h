// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), with which TFRecord guards lengths and records, and Zarr chunks and
// indices. Pure functions; any thread.
#pragma once
#include <cstdint>

#include "core/units.h"

namespace feedrate {

/// By the processor's own instruction where it has one, otherwise by crc32c_by_table().
[[nodiscard]] std::uint32_t crc32c(Bytes bytes) noexcept;

[[nodiscard]] std::uint32_t crc32c_by_table(Bytes bytes) noexcept;

/// As TFRecord stores it: rotated and offset, because a CRC of data that contain their own CRC says
/// little.
[[nodiscard]] std::uint32_t masked_crc32c(Bytes bytes) noexcept;

}  // namespace feedrate
