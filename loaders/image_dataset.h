// SPDX-License-Identifier: Apache-2.0
// The dataset of images that the device is going to transform: read, decoded unless the device does
// that, too, and put into the batch as they are, each with its plan.
#pragma once
#include <cstdint>
#include <memory>

#include "formats/record_reader.h"
#include "loaders/dataset.h"
#include "loaders/decode/transform.h"
#include "loaders/record_dataset.h"

namespace feedrate {

/// Batches are as image_batch.h says. sample_bytes() is that of the largest of up to a thousand
/// images all over the dataset; twice that where it has more, and a batch that needs more than its
/// images together may have is an error. With damaged records allowed, one is an image of zeros.
/// REQUIRES: spec.on_device is not kNothing
[[nodiscard]] std::unique_ptr<Dataset> make_image_dataset(
    std::shared_ptr<const RecordReader> reader, PipelineSpec spec, std::uint64_t seed,
    OnDamaged on_damaged, BatchReads reads = BatchReads::kOneByOne);

}  // namespace feedrate
