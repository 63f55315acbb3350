// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace feedrate {

/// The share of a dataset that one training process loads, as DistributedSampler splits it.
struct Shard {
  std::size_t replicas = 1;
  std::size_t rank = 0;
  bool drop_last = false;  ///< make equal shares by dropping records instead of repeating some

  friend bool operator==(const Shard&, const Shard&) = default;
};

}  // namespace feedrate
