// SPDX-License-Identifier: Apache-2.0
// A dataset of stored records: reads, decodes, transforms and collates them.
#pragma once
#include <cstdint>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"
#include "loaders/dataset.h"
#include "loaders/decode/sample_pipeline.h"
#include "loaders/decode/transform.h"

namespace feedrate {

enum class OnDamaged {
  kThrow,  ///< a damaged record throws in place of its batch
  kSkip,   ///< its sample is zeros without a label, and Batch::damaged describes the error
};

/// Every sample has the shape of the first record, whose header this function reads. Only token
/// sequences differ in length.
[[nodiscard]] std::unique_ptr<Dataset> make_record_dataset(
    std::shared_ptr<const RecordReader> reader, PipelineSpec pipeline, std::uint64_t seed,
    OnDamaged on_damaged = OnDamaged::kThrow, BatchReads reads = BatchReads::kOneByOne);

/// A dataset of images that the device transforms: the worker reads each image, decodes it unless
/// the device does so, and puts it into the batch with its plan (image_batch.h).
/// sample_bytes() is the size of the largest image among up to
/// 1000 that are spread over the dataset, doubled if the dataset has more. A batch whose images
/// need more than sample_bytes() on average throws Error. With damaged records allowed, a damaged
/// record becomes an empty image.
/// REQUIRES: spec.on_device is not kNothing
[[nodiscard]] std::unique_ptr<Dataset> make_image_dataset(
    std::shared_ptr<const RecordReader> reader, PipelineSpec spec, std::uint64_t seed,
    OnDamaged on_damaged, BatchReads reads = BatchReads::kOneByOne);

/// A dataset of token sequences, truncated and padded to rows of one length per batch.
/// A batch has one int32 row per sequence: its tokens, then zeros. `spec.padding` decides the row
/// length. sample_bytes() is the size of the longest possible row. The first call of lengths()
/// reads all records. With damaged records allowed, a damaged record becomes a row of zeros.
/// REQUIRES: spec.max_length > 0
[[nodiscard]] std::unique_ptr<Dataset> make_sequence_dataset(
    std::shared_ptr<const RecordReader> reader, const TokenSequences& spec, OnDamaged on_damaged,
    BatchReads reads = BatchReads::kOneByOne);

}  // namespace feedrate
