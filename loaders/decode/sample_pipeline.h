// SPDX-License-Identifier: Apache-2.0
// A record becomes a sample: decode, transform, write the tensor into its place in the batch.
#pragma once
#include <cstdint>
#include <memory>

#include "core/units.h"
#include "formats/record.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// A sample tensor: channels × height × width, with kPixels height × width × channels; dense. Of
/// opaque bytes 1 × 1 × their number.
struct SampleShape {
  int channels = 3;
  int height = 0;
  int width = 0;
  SampleDtype dtype = SampleDtype::kFloat32;

  [[nodiscard]] std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(channels) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(width) * bytes_of(dtype);
  }
  friend bool operator==(const SampleShape&, const SampleShape&) = default;
};

/// Time spent in each stage of the samples so far.
struct StageTimes {
  Nanos decode{};
  Nanos transform{};
};

/// Holds a decoder and working memory: one per worker, one thread.
class SamplePipeline {
 public:
  virtual ~SamplePipeline() = default;

  /// Writes the sample of `record` to `out`, exactly `expected.bytes()` long. What random
  /// transforms draw depends on (seed, epoch, index) only. Throws FormatError, without location, if
  /// the record is damaged or its sample is not of the `expected` shape.
  virtual void make_sample(const Record& record, std::uint64_t epoch, std::uint64_t index,
                           const SampleShape& expected, MutableBytes out) = 0;

  /// The shape of the sample that `record` gives; reads no more than its header.
  [[nodiscard]] virtual SampleShape shape(const Record& record) = 0;

  [[nodiscard]] virtual StageTimes times() const noexcept = 0;
};

/// REQUIRES: !spec.tokens, whose samples are as long as their batch
[[nodiscard]] std::unique_ptr<SamplePipeline> make_sample_pipeline(PipelineSpec spec,
                                                                   std::uint64_t seed);

}  // namespace feedrate
