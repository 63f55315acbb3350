// SPDX-License-Identifier: Apache-2.0
#include "core/crc32.h"

#include <libdeflate.h>

namespace feedrate {

std::uint32_t crc32(Bytes bytes) noexcept {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace feedrate
