// SPDX-License-Identifier: Apache-2.0
// The dataset of stored records: read, decode, transform, collate.
#pragma once
#include <cstdint>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"
#include "loaders/dataset.h"
#include "loaders/decode/sample_pipeline.h"

namespace feedrate {

enum class OnDamaged {
  kThrow,  ///< a damaged record is an error in the place of its batch
  kSkip,   ///< its sample is zeros, without a label, and Batch::damaged says why
};

/// Every sample has the shape that the first record gives. Reads that record's header. Sequences of
/// tokens alone differ in length: loaders/sequence_dataset.h.
[[nodiscard]] std::unique_ptr<Dataset> make_record_dataset(
    std::shared_ptr<const RecordReader> reader, PipelineSpec pipeline, std::uint64_t seed,
    OnDamaged on_damaged = OnDamaged::kThrow, BatchReads reads = BatchReads::kOneByOne);

}  // namespace feedrate
