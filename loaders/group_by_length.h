// SPDX-License-Identifier: Apache-2.0
// Groups sequences of similar length into batches, so that batches need little padding. A pure
// function; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace feedrate {

/// Reorders `order` as Hugging Face's LengthGroupedSampler does (`group_by_length` of its Trainer).
/// Each pool of 50 batches (a quarter of all if there are fewer than 200) is sorted from its
/// longest sequence to its shortest. The longest sequence of all is swapped with the first, so that
/// a batch too large for memory fails at once. `lengths` is indexed by record.
/// REQUIRES: batch_size > 0; every record of `order` has a length
/// Source: transformers/trainer_pt_utils.py, get_length_grouped_indices.
[[nodiscard]] std::vector<std::uint64_t> group_by_length(std::vector<std::uint64_t> order,
                                                         std::span<const std::uint32_t> lengths,
                                                         std::size_t batch_size);

}  // namespace feedrate
