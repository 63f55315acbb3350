// SPDX-License-Identifier: Apache-2.0
// Parses numbers. A pure function; any thread.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace feedrate {

/// Parses all of `text` as std::from_chars() does: no blanks, no '+'. Empty if `text` is no number,
/// has trailing text, or exceeds Number. `format` is from_chars()'s: a base or a std::chars_format.
template <typename Number, typename... Format>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, Format... format) noexcept {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, format...);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace feedrate
