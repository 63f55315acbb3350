// SPDX-License-Identifier: Apache-2.0
// Records that are no images: bytes as DLIO makes them, sequences of tokens, clouds of points. Pure
// functions of their streams; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/random.h"

namespace feedrate {

/// How many bytes the records of a dataset have, which are noise.
struct RecordSizes {
  std::size_t mean = 0;
  std::size_t stdev = 0;
};

/// The product of two normal numbers, as that of the rows and columns that DLIO draws, of just this
/// mean and deviation. Hardly any is negative, which becomes 1, and none is longer than a record
/// may be. REQUIRES: sizes.mean > 0
[[nodiscard]] std::size_t draw_record_size(const RecordSizes& sizes, RandomStream random);

/// Bytes that no compression makes smaller.
[[nodiscard]] std::vector<std::byte> draw_bytes(std::size_t size, RandomStream random);

/// Sequences of int32 tokens.
struct TokenSizes {
  double median = 0.0;  ///< tokens; lengths are log-normal
  double sigma = 0.0;   ///< the standard deviation of their logarithm
  std::size_t least = 0;
  std::size_t most = 0;
  std::uint32_t vocabulary = 0;  ///< tokens are 1 to vocabulary - 1, since 0 is padding
};

[[nodiscard]] std::size_t draw_length(const TokenSizes& sizes, RandomStream random);

/// Token k about as often as 1 / k, Zipf's law of words.
[[nodiscard]] std::vector<std::byte> draw_tokens(std::size_t length, std::uint32_t vocabulary,
                                                 RandomStream random);

/// Clouds of N points each: x, y and z as float32.
struct CloudSize {
  std::size_t points = 0;
};

/// Metres around a sensor, as of a scan by lidar: dense nearby, flat.
[[nodiscard]] std::vector<std::byte> draw_cloud(std::size_t points, RandomStream random);

/// What the records of a dataset are.
using OpaqueRecords = std::variant<RecordSizes, TokenSizes, CloudSize>;

/// Of a record, about.
[[nodiscard]] double mean_bytes(const OpaqueRecords& records);

/// `size` decides how long the record is, `content` what is in it.
[[nodiscard]] std::vector<std::byte> draw_record(const OpaqueRecords& records, RandomStream size,
                                                 RandomStream content);

}  // namespace feedrate
