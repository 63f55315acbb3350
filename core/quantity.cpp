// SPDX-License-Identifier: Apache-2.0
#include "core/quantity.h"

#include <charconv>
#include <cmath>

namespace feedrate {
namespace {

std::optional<double> seconds_unit(std::string_view unit) {
  if (unit.empty() || unit == "s") return 1.0;
  if (unit == "ms") return 1e-3;
  if (unit == "us" || unit == "µs" || unit == "μs") return 1e-6;
  return unit == "ns" ? std::optional(1e-9) : std::nullopt;
}

std::optional<double> prefix(std::string_view unit) {
  if (unit.empty()) return 1.0;
  constexpr std::string_view kPrefixes = "kMGTP";
  const std::size_t power = unit.front() == 'K' ? 0 : kPrefixes.find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const auto exponent = static_cast<double>(power + 1);
  if (unit.size() == 1) return std::pow(1000.0, exponent);
  return unit.substr(1) == "i" ? std::optional(std::pow(1024.0, exponent)) : std::nullopt;
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text, Quantity quantity) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0.0) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  std::optional<double> factor;
  if (quantity == Quantity::kSeconds) {
    factor = seconds_unit(unit);
  } else {
    if (unit.ends_with("/s")) unit.remove_suffix(2);
    if (quantity == Quantity::kBytes && unit.ends_with('B')) unit.remove_suffix(1);
    factor = prefix(unit);
  }
  return factor ? std::optional(value * *factor) : std::nullopt;
}

}  // namespace feedrate
