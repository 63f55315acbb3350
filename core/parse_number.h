// SPDX-License-Identifier: Apache-2.0
// Numbers out of text. A pure function; any thread.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace feedrate {

/// The number that all of `text` is, as std::from_chars() reads it: without blanks and without a
/// '+'. Empty if it is none, if anything follows it, or if a Number cannot hold it. `format` is
/// from_chars()'s: a base or a std::chars_format.
template <typename Number, typename... Format>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, Format... format) noexcept {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, format...);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace feedrate
