// SPDX-License-Identifier: Apache-2.0
// One rank of a job: it measures the starts that the leader requests, together with the others.
// Always the same thread uses it, because it sets that thread's affinity.
#pragma once
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/engine.h"
#include "bench/engines/ranked/messages.h"
#include "bench/engines/ranked/step_barrier.h"
#include "bench/engines/run_profile.h"
#include "bench/ranks/group.h"
#include "bench/ranks/node_layout.h"
#include "bench/ranks/placement.h"
#include "core/clock.h"
#include "core/host/cpu_list.h"

namespace feedrate {

class Rank {
 public:
  /// All ranks construct it at the same time. `group` and `clock` outlive it.
  Rank(RankGroup& group, Clock& clock, const std::stop_token& stop);

  /// Errors that end the start in all ranks, such as a damaged record, are in the report; so is a
  /// start that takes longer than measure.cell_timeout_s. Throws RankLost, and Cancelled once
  /// `stop` is requested.
  [[nodiscard]] RankReport measure(const RankRequest& request, const std::stop_token& stop);

  /// Number of CPUs that the ranks of this node may run on, all together.
  [[nodiscard]] std::size_t cpus_of_node() const;

 private:
  void measure_into(RankReport& report, const RankRequest& request, const std::stop_token& stop);
  [[nodiscard]] std::unique_ptr<GradientSum> gradient_sum(const CellSpec& cell, RankReport& report,
                                                          const std::stop_token& stop);
  void inspect_node(const std::string& first_device, const CellSpec& cell,
                    const std::stop_token& stop);
  void place(const CellSpec& cell, RankReport& report);
  CellEngine& engine(const RankRequest& request, const CellSpec& cell);

  RankGroup& group_;
  Clock& clock_;
  const std::vector<CpuList> allowed_;        // By local rank of this node, before any binding.
  NodeLayout layout_;                         // This node with the GPUs of its ranks.
  std::optional<std::string> layout_is_for_;  // The first rank's device; the same in all ranks.
  StepBarrier* barrier_ = nullptr;            // The one of the current start.
  RankReport* report_ = nullptr;
  std::unique_ptr<CellEngine> engine_;
  std::string engine_is_for_;  // engine_key() of `engine_`.
};

/// Returns the device of a rank: if `first` is "cuda:2", local rank 1 has "cuda:3", unless the
/// launcher makes only one GPU visible to each rank.
[[nodiscard]] std::string device_of_rank(const std::string& first, int local_rank,
                                         const std::optional<std::string>& cuda_visible_devices);

}  // namespace feedrate
