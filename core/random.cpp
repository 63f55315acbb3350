// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <cmath>
#include <numbers>

namespace feedrate {
namespace {

std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

}  // namespace

std::uint64_t RandomStream::next() noexcept { return mix(state_ += kGolden); }

double RandomStream::uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::uint64_t RandomStream::below(std::uint64_t bound) noexcept {
  // Lemire's multiply-shift; its bias of bound / 2^64 is negligible.
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
}

double RandomStream::normal() noexcept {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

RandomStream sample_stream(std::uint64_t seed, std::uint64_t epoch, std::uint64_t record) noexcept {
  return RandomStream(mix(mix(mix(seed + kGolden) ^ (epoch + kGolden)) ^ (record + kGolden)));
}

}  // namespace feedrate
