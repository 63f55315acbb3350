// SPDX-License-Identifier: Apache-2.0
#include "core/printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/utf8.h"

namespace feedrate {
namespace {

// REQUIRES: one character of UTF-8
std::uint32_t code_point(std::string_view character) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
  if (character.size() == 1) return byte(0);
  std::uint32_t code = byte(0) & (0x7FU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6U | (byte(i) & 0x3FU);
  return code;
}

std::string escaped(std::uint32_t code) {
  return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

}  // namespace

bool is_control(std::string_view character) noexcept {
  if (utf8_length(character) == 0) return false;
  const std::uint32_t code = code_point(character);
  const bool is_mark = code == 0x061C || code == 0x200E || code == 0x200F;  // ALM, LRM, RLM.
  const bool is_bidi = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || is_mark || is_bidi || code == 0x2028 ||
         code == 0x2029;
}

std::string printable(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t size = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    if (size == 0) {
      line += escaped(static_cast<std::uint8_t>(text.front()));
    } else {
      const bool is_text = character == "\t" || !is_control(character);
      line += !is_text ? escaped(code_point(character)) : std::string(character);
    }
    text.remove_prefix(character.size());
  }
  return line;
}

}  // namespace feedrate
