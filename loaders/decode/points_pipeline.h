// SPDX-License-Identifier: Apache-2.0
// Samples of point clouds: random points of a record.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/random.h"
#include "loaders/decode/sample_pipeline.h"

namespace feedrate {

/// Fills `out` with points drawn from `cloud` with replacement, as PointNet's datasets do
/// (numpy.random.choice), so that `cloud` may have fewer points than `out`.
/// REQUIRES: both hold whole points; `cloud` holds at least one
void draw_points(Bytes cloud, RandomStream random, MutableBytes out) noexcept;

/// Throws FormatError, without location, unless `record` holds whole points, at least one.
void require_points(const Record& record);

/// The sample is `points` points of the record, one dimension of bytes.
/// REQUIRES: 1 <= points <= kMaxRecordBytes / kPointBytes
[[nodiscard]] std::unique_ptr<SamplePipeline> make_points_pipeline(std::size_t points,
                                                                   std::uint64_t seed);

}  // namespace feedrate
