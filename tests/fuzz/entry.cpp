// SPDX-License-Identifier: Apache-2.0
// One target as libFuzzer calls it. FEEDRATE_FUZZ_TARGET, which CMake defines, says which.
#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(feedrate::fuzz::FEEDRATE_FUZZ_TARGET(std::as_bytes(std::span(data, size))));
  return 0;
}
