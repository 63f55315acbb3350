// SPDX-License-Identifier: Apache-2.0
// How ranks add up their gradients after a step. Which numbers they are matters to nobody: what is
// mocked is their way from rank to rank.
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
  /// Adds up all gradients, and `own` with them: returns the sum of all ranks' own. Ends when this
  /// rank has the sums. Throws RankLost; Cancelled once `stop` is requested.
  [[nodiscard]] virtual float add_up(float own, const std::stop_token& stop) = 0;
  /// What moves them: "shared memory", "NCCL 2.27.3".
  [[nodiscard]] virtual std::string path() const = 0;
};

/// In the memory of hosts, by RankGroup::all_reduce(). `group` outlives it.
[[nodiscard]] std::unique_ptr<GradientSum> make_group_sum(RankGroup& group, std::size_t bytes);

using OpenDevice = std::function<std::unique_ptr<Device>()>;

/// In the memory of GPUs, by NCCL, behind all that is queued in the default stream of the device.
/// Null, and in `why_not` why, where one of the ranks cannot. All ranks call it at the same time,
/// each with a device of its own; `group` outlives it. Throws RankLost, Cancelled.
[[nodiscard]] std::unique_ptr<GradientSum> make_nccl_sum(RankGroup& group, const OpenDevice& open,
                                                         std::size_t bytes,
                                                         const std::stop_token& stop,
                                                         std::string& why_not);

}  // namespace feedrate
