#include "bench/datasets/opaque_record.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "formats/payload.h"

namespace feedrate {

std::size_t draw_record_size(const RecordSizes& sizes, RandomStream random) {
  const auto mean = static_cast<double>(sizes.mean);
  const auto stdev = static_cast<double>(sizes.stdev);
  // Of a product of two independent numbers of mean d and variance s² the mean is d², the variance
  // 2 d² s² + s⁴; solved for s.
  const double side = std::sqrt(mean);
  const double spread = std::sqrt(std::hypot(mean, stdev) - mean);
  const double rows = side + spread * random.normal();
  const double columns = side + spread * random.normal();
  const double size = std::round(rows * columns);
  return static_cast<std::size_t>(std::clamp(size, 1.0, static_cast<double>(kMaxRecordBytes)));
}

std::vector<std::byte> draw_bytes(std::size_t size, RandomStream random) {
  std::vector<std::byte> bytes(size);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t noise = random.next();
    std::memcpy(bytes.data() + at, &noise, std::min(sizeof(noise), size - at));
  }
  return bytes;
}

}  // namespace feedrate
