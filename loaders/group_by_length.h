// SPDX-License-Identifier: Apache-2.0
// Batches of sequences of like length, so that little of them is padding. A pure function; any
// thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace feedrate {

/// What Hugging Face's LengthGroupedSampler makes of an order, `group_by_length` of its Trainer:
/// pools of 50 batches, or a quarter of all where there are fewer than 200, each sorted from its
/// longest sequence to its shortest; the longest of all changes places with the first, so that too
/// large a batch shows at once. `lengths` is by record.
/// REQUIRES: batch_size > 0; every record of `order` has a length
/// Source: transformers/trainer_pt_utils.py, get_length_grouped_indices.
[[nodiscard]] std::vector<std::uint64_t> group_by_length(std::vector<std::uint64_t> order,
                                                         std::span<const std::uint32_t> lengths,
                                                         std::size_t batch_size);

}  // namespace feedrate
