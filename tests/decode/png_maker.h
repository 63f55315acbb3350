// Writes PNG files as no encoder would, byte by byte.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::png {

using Data = std::vector<std::byte>;

[[nodiscard]] Data bytes_of(std::string_view text);

/// With its length and its checksum.
[[nodiscard]] Data chunk(std::string_view name, const Data& data);

struct Header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint8_t depth = 8;
  std::uint8_t color_type = 2;
  std::uint8_t compression = 0;
  std::uint8_t filter = 0;
  std::uint8_t interlace = 0;
};

[[nodiscard]] Data header(const Header& header);

/// A zlib stream that announces a window of 2^window_bits bytes, 9 to 15.
[[nodiscard]] Data deflated(const Data& data, int window_bits = 15, int level = 6);

/// The signature, then the chunks.
[[nodiscard]] Data file(const std::vector<Data>& chunks);

/// header, pixels in one IDAT, IEND.
[[nodiscard]] Data plain_file(const Header& header, const Data& stream);

}  // namespace feedrate::png
