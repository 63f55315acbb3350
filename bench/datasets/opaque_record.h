// Records of opaque bytes, as DLIO makes them. Pure functions of their stream; any thread.
#pragma once
#include <cstddef>
#include <vector>

#include "core/random.h"

namespace feedrate {

/// How many bytes the records of a dataset have.
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

}  // namespace feedrate
