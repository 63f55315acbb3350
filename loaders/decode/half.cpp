// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "loaders/decode/to_tensor.h"

namespace feedrate {
namespace {

constexpr int kMantissaBits = 10;
constexpr int kSmallestExponent = -14;  // of normal numbers
constexpr int kLargestExponent = 15;
constexpr unsigned kSign = 0x8000;
constexpr unsigned kInfinity = 0x7c00;
constexpr unsigned kNan = 0x7e00;

unsigned half_of_size(float size) {
  if (std::isnan(size)) return kNan;
  if (size == 0.0F) return 0;
  if (std::isinf(size) || std::ilogb(size) > kLargestExponent) return kInfinity;
  // Count units in the last place; their size is constant below the normal numbers.
  const int exponent = std::max(std::ilogb(size), kSmallestExponent);
  const auto units = static_cast<unsigned>(std::lrint(std::ldexp(size, kMantissaBits - exponent)));
  // A mantissa that rounds up to the next power of two carries correctly into the exponent, and the
  // largest one becomes infinity.
  return units + (static_cast<unsigned>(exponent - kSmallestExponent) << kMantissaBits);
}

}  // namespace

std::uint16_t to_half(float value) noexcept {
  const unsigned sign = std::signbit(value) ? kSign : 0;
  return static_cast<std::uint16_t>(sign | half_of_size(std::fabs(value)));
}

}  // namespace feedrate
