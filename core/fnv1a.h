// SPDX-License-Identifier: Apache-2.0
// The 64-bit hash FNV-1a: it detects accidental changes and is the same on every machine. Pure; any
// thread.
#pragma once
#include <cstdint>
#include <string_view>

namespace feedrate {

/// Continues `hash`, the hash of the bytes before.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view bytes,
                                            std::uint64_t hash = 0xCBF29CE484222325ULL) noexcept {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

}  // namespace feedrate
