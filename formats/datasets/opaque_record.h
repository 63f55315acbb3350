// SPDX-License-Identifier: Apache-2.0
// Draws opaque records: bytes like DLIO's, sequences of tokens, point clouds. Pure functions of
// their random streams; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/random.h"

namespace feedrate {

/// Sizes in bytes of records of noise.
struct RecordSizes {
  std::size_t mean = 0;
  std::size_t stdev = 0;
};

/// A product of two normal numbers, like DLIO's rows × columns, with exactly this mean and
/// deviation. Clamped to 1 … kMaxRecordBytes; hardly any is negative. REQUIRES: sizes.mean > 0
[[nodiscard]] std::size_t draw_record_size(const RecordSizes& sizes, RandomStream random);

/// Incompressible bytes.
[[nodiscard]] std::vector<std::byte> draw_bytes(std::size_t size, RandomStream random);

/// Sequences of int32 tokens.
struct TokenSizes {
  double median = 0.0;  ///< tokens; lengths are log-normal
  double sigma = 0.0;   ///< standard deviation of the logarithm of the length
  std::size_t least = 0;
  std::size_t most = 0;
  std::uint32_t vocabulary = 0;  ///< tokens are 1 to vocabulary - 1; 0 is padding
};

[[nodiscard]] std::size_t draw_length(const TokenSizes& sizes, RandomStream random);

/// Draws token k with a probability of about 1 / k, Zipf's law.
[[nodiscard]] std::vector<std::byte> draw_tokens(std::size_t length, std::uint32_t vocabulary,
                                                 RandomStream random);

/// Clouds of `points` points: x, y and z as float32.
struct CloudSize {
  std::size_t points = 0;
};

/// Draws points around a sensor, in meters, like a lidar scan: dense nearby, flat.
[[nodiscard]] std::vector<std::byte> draw_cloud(std::size_t points, RandomStream random);

/// The kind of a dataset's records.
using OpaqueRecords = std::variant<RecordSizes, TokenSizes, CloudSize>;

/// Approximate mean size of a record.
[[nodiscard]] double mean_bytes(const OpaqueRecords& records);

/// Draws the length from `size` and the bytes from `content`.
[[nodiscard]] std::vector<std::byte> draw_record(const OpaqueRecords& records, RandomStream size,
                                                 RandomStream content);

}  // namespace feedrate
