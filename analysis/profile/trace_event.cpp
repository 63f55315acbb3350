// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_event.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "core/parse_number.h"

namespace feedrate {
namespace {

// The difference of two times must also fit.
constexpr std::int64_t kMostMicroseconds = std::numeric_limits<std::int64_t>::max() / 2000 - 1;

}  // namespace

std::optional<Nanos> from_microseconds(std::int64_t count) {
  if (count > kMostMicroseconds || count < -kMostMicroseconds) return std::nullopt;
  return Nanos(count * 1000);
}

std::optional<Nanos> parse_microseconds(std::string_view text) {
  const std::string_view all = text;
  const bool is_negative = text.starts_with('-');
  text.remove_prefix(is_negative ? 1 : 0);
  std::int64_t whole = 0;
  const auto [point, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || text.starts_with('-') || whole > kMostMicroseconds) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(point - text.data()));
  std::int64_t nanos = whole * 1000;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    for (std::size_t at = 0, unit = 100; at < std::min<std::size_t>(digits, 3); ++at, unit /= 10) {
      nanos += (text[at] - '0') * static_cast<std::int64_t>(unit);
    }
    if (digits > 3 && text[3] >= '5') ++nanos;
    text.remove_prefix(digits);
  }
  if (text.empty()) return Nanos(is_negative ? -nanos : nanos);
  const std::optional<double> value = parse_number<double>(all);
  if (!value || !(std::abs(*value) < static_cast<double>(kMostMicroseconds))) return std::nullopt;
  return Nanos(std::llround(*value * 1000));
}

}  // namespace feedrate
