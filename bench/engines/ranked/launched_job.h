// SPDX-License-Identifier: Apache-2.0
// This process's part in the job that srun, mpirun or torchrun started: one of them leads, which
// plans, decides and writes; the others follow. Without a launcher it leads nobody. One thread.
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
  /// Waits for the others of the job, if there are any. Throws as join_group() does.
  explicit LaunchedJob(Console& console);

  [[nodiscard]] bool leads() const { return !group_ || group_->rank() == 0; }
  /// REQUIRES: it does not lead. Returns the program's exit code. Throws RankLost, Cancelled.
  [[nodiscard]] int follow();
  [[nodiscard]] LaunchedRanks ranks() const;
  /// How gradients' bytes go from rank to rank where NCCL does not move them: "Open MPI 4.1.4" or
  /// "shared memory". Empty where there is no launcher.
  [[nodiscard]] std::string all_reduce_path() const { return group_ ? group_->data_path() : ""; }
  /// Null where there is no launcher.
  [[nodiscard]] std::shared_ptr<RankLauncher> launcher() const { return launcher_; }
  /// The console's, and requested when a rank was lost: no further cell can be measured then.
  [[nodiscard]] std::stop_token stop() const { return over_.get_token(); }

 private:
  Console& console_;
  const Launch launch_ = read_launch();
  SteadyClock clock_;
  std::stop_source over_;
  std::stop_callback<std::function<void()>> forward_;
  std::unique_ptr<RankGroup> group_;  // Null where there is no launcher.
  std::shared_ptr<JobRankLauncher> launcher_;
};

/// Throws ConfigError where a launcher has started several of `command`, which is for one process.
void require_no_job(const char* command);

}  // namespace feedrate
