// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on no thread and no order of calls: a stream depends on its seed
// alone, a sample's stream on (seed, epoch, record).
#pragma once
#include <cstdint>

namespace feedrate {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
/// A value: copy it to repeat a stream. One thread.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) noexcept : state_(seed) {}

  /// Uniform over all 64-bit values.
  std::uint64_t next() noexcept;
  /// Uniform in [0, 1), 53 bits.
  double uniform() noexcept;
  /// Uniform in [low, high).
  double uniform(double low, double high) noexcept { return low + (high - low) * uniform(); }
  /// Uniform in [0, bound). REQUIRES: bound > 0
  std::uint64_t below(std::uint64_t bound) noexcept;
  /// Standard normal (Box-Muller).
  double normal() noexcept;

 private:
  std::uint64_t state_;
};

/// The random transforms of one record in one epoch draw from this stream.
[[nodiscard]] RandomStream sample_stream(std::uint64_t seed, std::uint64_t epoch,
                                         std::uint64_t record) noexcept;

}  // namespace feedrate
