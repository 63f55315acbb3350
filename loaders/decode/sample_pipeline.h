// SPDX-License-Identifier: Apache-2.0
// Pipelines from a record to its sample tensor: decode, transform, write into the batch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/units.h"
#include "formats/record.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// The shape of a dense sample tensor: channels × height × width; height × width × channels with
/// kPixels; 1 × 1 × bytes for opaque records.
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

/// Total time of each stage over all samples made.
struct StageTimes {
  Nanos decode{};
  Nanos transform{};
};

/// Has a decoder and working memory; one thread, each worker needs its own.
class SamplePipeline {
 public:
  virtual ~SamplePipeline() = default;

  /// Writes the sample of `record` to `out`, which has exactly `expected.bytes()` bytes. Random
  /// transforms depend on (seed, epoch, index) only. Throws FormatError, without location, if the
  /// record is damaged or its sample does not have the `expected` shape.
  virtual void make_sample(const Record& record, std::uint64_t epoch, std::uint64_t index,
                           const SampleShape& expected, MutableBytes out) = 0;

  /// The shape of the sample of `record`; reads only its header.
  [[nodiscard]] virtual SampleShape shape(const Record& record) = 0;

  [[nodiscard]] virtual StageTimes times() const noexcept = 0;
};

/// REQUIRES: !spec.tokens, since the length of such samples depends on their batch
[[nodiscard]] std::unique_ptr<SamplePipeline> make_sample_pipeline(PipelineSpec spec,
                                                                   std::uint64_t seed);

/// The sample is the first `size` bytes of the stored record, zero-padded if it is shorter; one
/// dimension of uint8. REQUIRES: 1 <= size <= 2^30
[[nodiscard]] std::unique_ptr<SamplePipeline> make_bytes_pipeline(std::size_t size);

}  // namespace feedrate
