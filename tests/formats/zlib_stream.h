// Zlib streams byte by byte.
#pragma once
#include <cstdint>
#include <string>

namespace feedrate::testing {

/// As zlib would store less than 64 KiB that it cannot pack.
inline std::string zlib_stream(const std::string& bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  const auto size = static_cast<unsigned>(bytes.size());
  std::string stream("\x78\x01\x01", 3);
  for (const unsigned value : {size & 255U, size >> 8, ~size & 255U, ~size >> 8 & 255U}) {
    stream.push_back(static_cast<char>(value));
  }
  stream += bytes;
  for (const std::uint32_t value : {b >> 8, b & 255U, a >> 8, a & 255U}) {
    stream.push_back(static_cast<char>(value));
  }
  return stream;
}

}  // namespace feedrate::testing
