// SPDX-License-Identifier: Apache-2.0
// The libFuzzer entry point of one target, which CMake names in FEEDRATE_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(feedrate::fuzz::FEEDRATE_FUZZ_TARGET(std::as_bytes(std::span(data, size))));
  return 0;
}
