// SPDX-License-Identifier: Apache-2.0
// A dataset of stored records: reads, decodes, transforms and collates them.
#pragma once
#include <cstdint>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"
#include "loaders/dataset.h"
#include "loaders/decode/sample_pipeline.h"

namespace feedrate {

enum class OnDamaged {
  kThrow,  ///< a damaged record throws in place of its batch
  kSkip,   ///< its sample is zeros without a label, and Batch::damaged describes the error
};

/// Every sample has the shape of the first record, whose header this function reads. Only token
/// sequences differ in length (loaders/sequence_dataset.h).
[[nodiscard]] std::unique_ptr<Dataset> make_record_dataset(
    std::shared_ptr<const RecordReader> reader, PipelineSpec pipeline, std::uint64_t seed,
    OnDamaged on_damaged = OnDamaged::kThrow, BatchReads reads = BatchReads::kOneByOne);

}  // namespace feedrate
