// SPDX-License-Identifier: Apache-2.0
// A dataset of stored token sequences: reads and truncates them, and pads them to rows of one
// length per batch.
#pragma once
#include <memory>

#include "formats/record_reader.h"
#include "loaders/dataset.h"
#include "loaders/decode/transform.h"
#include "loaders/record_dataset.h"

namespace feedrate {

/// A batch has one int32 row per sequence: its tokens, then zeros. `spec.padding` decides the row
/// length. sample_bytes() is the size of the longest possible row. The first call of lengths()
/// reads all records. With damaged records allowed, a damaged record becomes a row of zeros.
/// REQUIRES: spec.max_length > 0
[[nodiscard]] std::unique_ptr<Dataset> make_sequence_dataset(
    std::shared_ptr<const RecordReader> reader, const TokenSequences& spec, OnDamaged on_damaged,
    BatchReads reads = BatchReads::kOneByOne);

}  // namespace feedrate
