// SPDX-License-Identifier: Apache-2.0
// Runs the cases of tests/golden/loaders/sampler_orders.txt: a sampler and its batches. One thread.
//
//   distributed records=10 shuffle=1 seed=0 epoch=2 replicas=3 rank=1 shard_drop_last=0
//       batch_size=3 drop_last=0
//   generator records=10 seed=5 epoch=2 num_workers=2 persistent_workers=1 batch_size=3 drop_last=0
//
// "distributed" is a DataLoader with DistributedSampler after set_epoch(epoch); "generator" is that
// epoch of a DataLoader with shuffle=True and a generator that was seeded once.
#pragma once
#include <string>

namespace feedrate::testing {

/// Returns the batches in the format of the golden file: "4 1 7|5 3 9", or a summary of an order of
/// many records. Throws std::runtime_error if the case cannot be parsed.
[[nodiscard]] std::string answer_sampler_case(const std::string& text);

}  // namespace feedrate::testing
