// SPDX-License-Identifier: Apache-2.0
// This process's role in the job that srun, mpirun or torchrun started. One process leads: it
// plans, decides and writes; the others follow. Without a launcher this process leads. One thread.
#pragma once
#include <memory>
#include <stop_token>

#include "bench/engines/ranked/rank_launcher.h"
#include "bench/plan/plan.h"
#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"
#include "core/clock.h"
#include "core/host/console.h"

namespace feedrate {

class LaunchedJob {
 public:
  /// Waits for the other ranks of the job, if there are any. Throws as join_group() does.
  explicit LaunchedJob(Console& console);

  [[nodiscard]] bool leads() const { return !group_ || group_->rank() == 0; }
  /// Runs until the leader ends the job; returns the program's exit code. REQUIRES: !leads().
  /// Throws RankLost, Cancelled.
  [[nodiscard]] int follow();
  [[nodiscard]] LaunchedRanks ranks() const;
  /// The transport of gradients without NCCL: "Open MPI 4.1.4" or "shared memory". Empty without a
  /// launcher.
  [[nodiscard]] std::string all_reduce_path() const { return group_ ? group_->data_path() : ""; }
  /// Null without a launcher.
  [[nodiscard]] std::shared_ptr<RankLauncher> launcher() const { return launcher_; }
  /// Requested when the console's token is, or when a rank is lost: no more cells can be measured.
  [[nodiscard]] std::stop_token stop() const { return over_.get_token(); }

 private:
  Console& console_;
  const Launch launch_ = read_launch();
  SteadyClock clock_;
  std::stop_source over_;
  std::stop_callback<std::function<void()>> forward_;
  std::unique_ptr<RankGroup> group_;  // Null without a launcher.
  std::shared_ptr<JobRankLauncher> launcher_;
};

/// Throws ConfigError if a launcher started several processes of `command`, which needs only one.
void require_no_job(const char* command);

}  // namespace feedrate
