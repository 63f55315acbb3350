// SPDX-License-Identifier: Apache-2.0
// The dataset of stored sequences of tokens: read, cut, and padded to rows of one length in a
// batch.
#pragma once
#include <memory>

#include "formats/record_reader.h"
#include "loaders/dataset.h"
#include "loaders/decode/transform.h"
#include "loaders/record_dataset.h"

namespace feedrate {

/// A batch is a row of int32 for each sequence, zeros behind its tokens; how long the rows are,
/// `spec.padding` says. sample_bytes() is that of the longest row there may be, lengths() reads all
/// records, once. With damaged records allowed, one is a row of zeros. REQUIRES: spec.max_length >
/// 0
[[nodiscard]] std::unique_ptr<Dataset> make_sequence_dataset(
    std::shared_ptr<const RecordReader> reader, const TokenSequences& spec, OnDamaged on_damaged,
    BatchReads reads = BatchReads::kOneByOne);

}  // namespace feedrate
