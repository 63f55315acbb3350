// SPDX-License-Identifier: Apache-2.0
// Samples of point clouds: some of a record's points, drawn at random.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/random.h"
#include "loaders/decode/sample_pipeline.h"

namespace feedrate {

/// Fills `out` with points of `cloud`, each drawn from all of them, as PointNet's datasets do
/// (numpy.random.choice with replacement), so that a small cloud will do, too.
/// REQUIRES: both hold whole points; `cloud` holds one at least
void draw_points(Bytes cloud, RandomStream random, MutableBytes out) noexcept;

/// Throws FormatError, without location, unless `record` is whole points, one at least.
void require_points(const Record& record);

/// The sample is `points` points of the record; one dimension of bytes.
/// REQUIRES: 1 <= points <= kMaxRecordBytes / kPointBytes
[[nodiscard]] std::unique_ptr<SamplePipeline> make_points_pipeline(std::size_t points,
                                                                   std::uint64_t seed);

}  // namespace feedrate
