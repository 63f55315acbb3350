// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/points_pipeline.h"

#include <chrono>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "core/error.h"
#include "core/nvtx.h"

namespace feedrate {
namespace {

class PointsPipeline final : public SamplePipeline {
 public:
  PointsPipeline(std::size_t points, std::uint64_t seed)
      : shape_{1, 1, static_cast<int>(points * kPointBytes), SampleDtype::kUint8}, seed_(seed) {}

  void make_sample(const Record& record, std::uint64_t epoch, std::uint64_t index,
                   const SampleShape& expected, MutableBytes out) override {
    if (expected != shape_ || out.size() != shape_.bytes()) {
      throw std::invalid_argument("make_sample: expected and out.size() must fit the pipeline");
    }
    const NvtxRange range("transform", index);
    const auto start = std::chrono::steady_clock::now();
    require_points(record);
    draw_points(record.payload, sample_stream(seed_, epoch, index), out);
    times_.transform += std::chrono::steady_clock::now() - start;
  }

  SampleShape shape(const Record& /*record*/) override { return shape_; }

  [[nodiscard]] StageTimes times() const noexcept override { return times_; }

 private:
  SampleShape shape_;
  std::uint64_t seed_;
  StageTimes times_;
};

}  // namespace

void draw_points(Bytes cloud, RandomStream random, MutableBytes out) noexcept {
  const std::uint64_t points = cloud.size() / kPointBytes;
  for (std::size_t at = 0; at < out.size(); at += kPointBytes) {
    const auto drawn = static_cast<std::size_t>(random.below(points));
    std::memcpy(out.data() + at, cloud.data() + drawn * kPointBytes, kPointBytes);
  }
}

void require_points(const Record& record) {
  if (record.kind != Payload::kBytes) {
    throw FormatError("record holds an image; must be opaque bytes for points");
  }
  const std::size_t size = record.payload.size();
  if (size > 0 && size % kPointBytes == 0) return;
  throw FormatError(
      fmt::format("record of {} bytes is not a point cloud; must hold x, y and z of each point as "
                  "float32, {} bytes",
                  size, kPointBytes));
}

std::unique_ptr<SamplePipeline> make_points_pipeline(std::size_t points, std::uint64_t seed) {
  return std::make_unique<PointsPipeline>(points, seed);
}

}  // namespace feedrate
