// SPDX-License-Identifier: Apache-2.0
// A dataset of images that the device transforms. The worker reads each image, decodes it unless
// the device does so, and puts it into the batch with its plan.
#pragma once
#include <cstdint>
#include <memory>

#include "formats/record_reader.h"
#include "loaders/dataset.h"
#include "loaders/decode/transform.h"
#include "loaders/record_dataset.h"

namespace feedrate {

/// image_batch.h describes the batches. sample_bytes() is the size of the largest image among up to
/// 1000 that are spread over the dataset, doubled if the dataset has more. A batch whose images
/// need more than sample_bytes() on average throws Error. With damaged records allowed, a damaged
/// record becomes an empty image.
/// REQUIRES: spec.on_device is not kNothing
[[nodiscard]] std::unique_ptr<Dataset> make_image_dataset(
    std::shared_ptr<const RecordReader> reader, PipelineSpec spec, std::uint64_t seed,
    OnDamaged on_damaged, BatchReads reads = BatchReads::kOneByOne);

}  // namespace feedrate
