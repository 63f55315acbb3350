// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "core/nvtx.h"
#include "loaders/decode/sample_pipeline.h"

namespace feedrate {
namespace {

class BytesPipeline final : public SamplePipeline {
 public:
  explicit BytesPipeline(std::size_t size)
      : shape_{1, 1, static_cast<int>(size), SampleDtype::kUint8} {}

  void make_sample(const Record& record, std::uint64_t /*epoch*/, std::uint64_t index,
                   const SampleShape& expected, MutableBytes out) override {
    if (expected != shape_ || out.size() != shape_.bytes()) {
      throw std::invalid_argument("make_sample: expected and out.size() must fit the pipeline");
    }
    const NvtxRange range("transform", index);
    const auto start = std::chrono::steady_clock::now();
    const Bytes kept = record.payload.first(std::min(record.payload.size(), out.size()));
    const auto rest = std::copy(kept.begin(), kept.end(), out.begin());
    std::fill(rest, out.end(), std::byte{0});
    times_.transform += std::chrono::steady_clock::now() - start;
  }

  SampleShape shape(const Record& /*record*/) override { return shape_; }

  [[nodiscard]] StageTimes times() const noexcept override { return times_; }

 private:
  SampleShape shape_;
  StageTimes times_;
};

}  // namespace

std::unique_ptr<SamplePipeline> make_bytes_pipeline(std::size_t size) {
  return std::make_unique<BytesPipeline>(size);
}

}  // namespace feedrate
