// SPDX-License-Identifier: Apache-2.0
// Adds up the gradients of all ranks after a step. Their values are arbitrary: only the transfer
// between ranks is measured.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "bench/ranks/group.h"
#include "device/device.h"

namespace feedrate {

/// Used by one thread.
class GradientSum {
 public:
  virtual ~GradientSum() = default;
  /// Adds up all gradients and the ranks' `own`, whose sum it returns. Blocks until this rank has
  /// the sums. Throws RankLost, and Cancelled once `stop` is requested.
  [[nodiscard]] virtual float add_up(float own, const std::stop_token& stop) = 0;
  /// The transport of the gradients: "shared memory", "NCCL 2.27.3".
  [[nodiscard]] virtual std::string path() const = 0;
};

/// Sums host memory by RankGroup::all_reduce(). `group` outlives the result.
[[nodiscard]] std::unique_ptr<GradientSum> make_group_sum(RankGroup& group, std::size_t bytes);

using OpenDevice = std::function<std::unique_ptr<Device>()>;

/// Sums GPU memory by NCCL, after all work queued in the default stream of the device. Returns null
/// and sets `why_not` if one of the ranks cannot use NCCL. All ranks call it at the same time, each
/// with its own device; `group` outlives the result. Throws RankLost, Cancelled.
[[nodiscard]] std::unique_ptr<GradientSum> make_nccl_sum(RankGroup& group, const OpenDevice& open,
                                                         std::size_t bytes,
                                                         const std::stop_token& stop,
                                                         std::string& why_not);

}  // namespace feedrate
