// SPDX-License-Identifier: Apache-2.0
#include "cli/printable_stream.h"

#include <string_view>
#include <utility>

#include "core/printable.h"
#include "core/utf8.h"

namespace feedrate {
namespace {

constexpr std::string_view kClearLine = "\033[K";
constexpr char kEscape = '\033';

bool is_printed(std::string_view character) {
  return character == "\n" || character == "\r" || character == "\t" || !is_control(character);
}

bool is_begin_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  return byte(0) >= 0xC2 && byte(0) <= 0xF4 && text.size() < size &&
         (text.size() == 1 || (byte(text.size() - 1) & 0xC0U) == 0x80U);
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
  if (kClearLine.starts_with(text) || is_begin_of_character(text)) {
    held_ = text;
    return true;
  }
  if (text.size() == 1 || utf8_length(text) == text.size()) {
    return put(is_printed(text) ? text : "?");
  }
  // neither a sequence nor a character: the last byte may begin another one
  const std::string_view first = text[0] == kEscape ? "?" : std::string_view(text).substr(0, 1);
  return put(first) && put(std::string_view(text).substr(1, text.size() - 2)) && pass(c);
}

bool PrintableBuffer::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return terminal_.sputn(text.data(), size) == size;
}

}  // namespace feedrate
