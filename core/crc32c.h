// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), the checksum of TFRecord and Zarr, and the CRC-32 of ZIP and zlib. Pure
// functions; any thread.
#pragma once
#include <cstdint>

#include "core/units.h"

namespace feedrate {

/// Uses the processor's instruction if it has one, otherwise crc32c_by_table().
[[nodiscard]] std::uint32_t crc32c(Bytes bytes) noexcept;

[[nodiscard]] std::uint32_t crc32c_by_table(Bytes bytes) noexcept;

/// The form that TFRecord stores: rotated and offset, because the CRC of data that contain their
/// own CRC is weak.
[[nodiscard]] std::uint32_t masked_crc32c(Bytes bytes) noexcept;

/// The CRC-32 of zlib, computed by libdeflate.
[[nodiscard]] std::uint32_t crc32(Bytes bytes) noexcept;

}  // namespace feedrate
