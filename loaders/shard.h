// SPDX-License-Identifier: Apache-2.0
// The share of a dataset that is one training process's. A plain value.
#pragma once
#include <cstddef>

namespace feedrate {

/// The share of one training process, as DistributedSampler cuts it.
struct Shard {
  std::size_t replicas = 1;
  std::size_t rank = 0;
  bool drop_last = false;  ///< make the shares equal by leaving records out, not by repeating some

  friend bool operator==(const Shard&, const Shard&) = default;
};

}  // namespace feedrate
