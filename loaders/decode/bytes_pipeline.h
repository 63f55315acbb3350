// SPDX-License-Identifier: Apache-2.0
// Samples of opaque records: their bytes, truncated or zero-padded to one size.
#pragma once
#include <cstddef>
#include <memory>

#include "loaders/decode/sample_pipeline.h"

namespace feedrate {

/// The sample is the first `size` bytes of the stored record, zero-padded if it is shorter; one
/// dimension of uint8. REQUIRES: 1 <= size <= 2^30
[[nodiscard]] std::unique_ptr<SamplePipeline> make_bytes_pipeline(std::size_t size);

}  // namespace feedrate
