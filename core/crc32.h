// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of ZIP and zlib, by libdeflate. A pure function; any thread.
#pragma once
#include <cstdint>

#include "core/units.h"

namespace feedrate {

[[nodiscard]] std::uint32_t crc32(Bytes bytes) noexcept;

}  // namespace feedrate
