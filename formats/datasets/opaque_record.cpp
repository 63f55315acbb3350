// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/opaque_record.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <span>

#include "formats/payload.h"
#include "loaders/decode/transform.h"

namespace feedrate {
namespace {

template <typename Value>
std::vector<std::byte> to_bytes(const std::vector<Value>& values) {
  const Bytes bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

struct MeanBytes {
  double operator()(const RecordSizes& sizes) const { return static_cast<double>(sizes.mean); }
  double operator()(const TokenSizes& sizes) const {
    const double length = sizes.median * std::exp(0.5 * sizes.sigma * sizes.sigma);
    return length * static_cast<double>(kTokenBytes);
  }
  double operator()(const CloudSize& size) const {
    return static_cast<double>(size.points * kPointBytes);
  }
};

struct DrawRecord {
  RandomStream size;
  RandomStream content;

  std::vector<std::byte> operator()(const RecordSizes& sizes) const {
    return draw_bytes(draw_record_size(sizes, size), content);
  }
  std::vector<std::byte> operator()(const TokenSizes& sizes) const {
    return draw_tokens(draw_length(sizes, size), sizes.vocabulary, content);
  }
  std::vector<std::byte> operator()(const CloudSize& cloud) const {
    return draw_cloud(cloud.points, content);
  }
};

}  // namespace

std::size_t draw_record_size(const RecordSizes& sizes, RandomStream random) {
  const auto mean = static_cast<double>(sizes.mean);
  const auto stdev = static_cast<double>(sizes.stdev);
  // The product of two independent normal numbers of mean d and variance s² has mean d² and
  // variance 2 d² s² + s⁴. Solve for s.
  const double side = std::sqrt(mean);
  const double spread = std::sqrt(std::sqrt(mean * mean + stdev * stdev) - mean);
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

std::size_t draw_length(const TokenSizes& sizes, RandomStream random) {
  const double length = std::round(sizes.median * std::exp(sizes.sigma * random.normal()));
  return static_cast<std::size_t>(
      std::clamp(length, static_cast<double>(sizes.least), static_cast<double>(sizes.most)));
}

std::vector<std::byte> draw_tokens(std::size_t length, std::uint32_t vocabulary,
                                   RandomStream random) {
  const double range = std::log(static_cast<double>(vocabulary));
  std::vector<std::int32_t> tokens(length);
  for (std::int32_t& token : tokens) {
    token = static_cast<std::int32_t>(std::exp(range * random.uniform()));
  }
  return to_bytes(tokens);
}

std::vector<std::byte> draw_cloud(std::size_t points, RandomStream random) {
  constexpr double kReach = 80.0;  // meters
  constexpr double kHeight = 10.0;
  std::vector<float> coordinates;
  coordinates.reserve(3 * points);
  for (std::size_t i = 0; i < points; ++i) {
    const double distance = kReach * random.uniform();
    const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
    coordinates.push_back(static_cast<float>(distance * std::cos(angle)));
    coordinates.push_back(static_cast<float>(distance * std::sin(angle)));
    coordinates.push_back(static_cast<float>(kHeight * random.uniform()));
  }
  return to_bytes(coordinates);
}

double mean_bytes(const OpaqueRecords& records) { return std::visit(MeanBytes{}, records); }

std::vector<std::byte> draw_record(const OpaqueRecords& records, RandomStream size,
                                   RandomStream content) {
  return std::visit(DrawRecord{size, content}, records);
}

}  // namespace feedrate
