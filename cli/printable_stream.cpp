// SPDX-License-Identifier: Apache-2.0
#include "cli/printable_stream.h"

#include <string_view>
#include <utility>

namespace feedrate {
namespace {

constexpr std::string_view kClearLine = "\033[K";
constexpr char kHighControls = '\xC2';  // In UTF-8 the first byte of U+0080 to U+00BF.

bool is_unprintable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
}

}  // namespace

PrintableBuffer::int_type PrintableBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  return pass(traits_type::to_char_type(character)) ? character : traits_type::eof();
}

int PrintableBuffer::sync() { return terminal_.pubsync(); }

bool PrintableBuffer::pass(char c) {
  const std::string text = std::exchange(held_, {}) + c;
  if (text == kClearLine) return put(text);
  if (kClearLine.starts_with(text) || text[0] == kHighControls) {
    const auto last = static_cast<unsigned char>(c);
    if (text.size() == 2 && text[0] == kHighControls) {
      return last >= 0x80 && last < 0xA0 ? put("?") : put(text);
    }
    held_ = text;
    return true;
  }
  if (text.size() == 1) return put(is_unprintable(c) ? "?" : text);
  // No such sequence: its first character is a control, the others are text.
  return put("?") && put(std::string_view(text).substr(1, text.size() - 2)) && pass(c);
}

bool PrintableBuffer::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return terminal_.sputn(text.data(), size) == size;
}

}  // namespace feedrate
