// SPDX-License-Identifier: Apache-2.0
// One rank of a job at work: it measures the starts that the leader orders, together with the
// others. One thread, the same all the time: its affinity is set.
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
  /// All ranks at the same time. Both outlive it.
  Rank(RankGroup& group, Clock& clock, const std::stop_token& stop);

  /// What ends the start in all ranks alike, as a damaged record, is in the answer. Throws
  /// RankLost; Cancelled once `stop` is requested. A start that takes longer than
  /// measure.cell_timeout_s fails.
  [[nodiscard]] RankReport measure(const RankRequest& order, const std::stop_token& stop);

  /// That the ranks of this node may run on, all together.
  [[nodiscard]] std::size_t cpus_of_node() const;

 private:
  void measure_into(RankReport& answer, const RankRequest& order, const std::stop_token& stop);
  [[nodiscard]] std::unique_ptr<GradientSum> gradient_sum(const CellSpec& cell, RankReport& answer,
                                                          const std::stop_token& stop);
  void inspect_node(const std::string& first_device, const CellSpec& cell,
                    const std::stop_token& stop);
  void place(const CellSpec& cell, RankReport& answer);
  CellEngine& engine(const RankRequest& order, const CellSpec& cell);

  RankGroup& group_;
  Clock& clock_;
  const std::vector<CpuList> allowed_;        // By local rank, of this node, as they were given.
  NodeLayout layout_;                         // Of this node, with the GPUs of its ranks.
  std::optional<std::string> layout_is_for_;  // The first rank's device; the same in all ranks.
  StepBarrier* barrier_ = nullptr;            // Of the start that is being measured.
  RankReport* answer_ = nullptr;
  std::unique_ptr<CellEngine> engine_;
  std::string engine_is_for_;  // What it would have to be another one for.
};

/// The device of a rank: "cuda:2" is the first one's, the others have those behind it, unless the
/// launcher shows each rank its own only.
[[nodiscard]] std::string device_of_rank(const std::string& first, int local_rank,
                                         const std::optional<std::string>& cuda_visible_devices);

}  // namespace feedrate
