// SPDX-License-Identifier: Apache-2.0
#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace feedrate {
namespace {

struct Scale {
  double factor;
  const char* suffix;
};

constexpr Scale kSecondScales[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
constexpr Scale kByteScales[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1.0, "B"}};

// A value that rounds up to the next unit is shown in it: 0.9996 s is "1.00 s", not "1000 ms".
constexpr double kRoundsUp = 0.9995;

std::string scaled(double value, std::span<const Scale> scales) {
  const Scale* scale = &scales.back();
  for (const Scale& candidate : scales) {
    if (std::abs(value) >= kRoundsUp * candidate.factor) {
      scale = &candidate;
      break;
    }
  }
  return fmt::format("{} {}", format_number(value / scale->factor), scale->suffix);
}

std::string separate_thousands(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

bool is_whole(double value) { return value == std::round(value); }

std::string format_count(double value) {
  return is_whole(value) ? separate_thousands(fmt::format("{:.0f}", value)) : format_number(value);
}

}  // namespace

std::string count_text(std::size_t count) {
  return count < 1000 ? std::to_string(count) : format_number(static_cast<double>(count));
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return kMissing;
  const double size = std::abs(value);
  if (size == 0.0) return "0";
  if (size >= 99.95) return separate_thousands(fmt::format("{:.0f}", value));
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.9995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string format_value(double value, Unit unit) {
  if (!std::isfinite(value)) return kMissing;
  switch (unit) {
    case Unit::kNone:
      return format_number(value);
    case Unit::kSeconds:
      return value == 0.0 ? "0 s" : scaled(value, kSecondScales);
    case Unit::kBytes:
      return value < kRoundsUp * 1e3 ? format_count(value) + " B" : scaled(value, kByteScales);
    case Unit::kSamplesPerSecond:
      return format_number(value) + "/s";
    case Unit::kRatio:
      return fmt::format("{:.1f} %", 100.0 * value);
    case Unit::kCount:
      return format_count(value);
    case Unit::kVerdict:
      return value == 1.0 ? "pass" : "fail";
  }
  return kMissing;
}

std::string format_gain(double share) {
  if (!std::isfinite(share)) return kMissing;
  return fmt::format("{:+.1f} %", std::abs(share) < 5e-4 ? 0.0 : 100.0 * share);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0) return kMissing;
  constexpr double kLongest = 1e15;
  const auto whole = static_cast<long long>(std::round(std::min(seconds, kLongest)));
  const long long hours = whole / 3600;
  const long long minutes = whole % 3600 / 60;
  if (hours > 0) return fmt::format("{} h {} min", hours, minutes);
  if (minutes > 0) return fmt::format("{} min {} s", minutes, whole % 60);
  return fmt::format("{} s", whole);
}

}  // namespace feedrate
