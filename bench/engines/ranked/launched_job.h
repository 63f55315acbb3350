// SPDX-License-Identifier: Apache-2.0
// This process's part in the job that srun, mpirun or torchrun started: one of them leads, which
// plans, decides and writes; the others follow. Without a launcher it leads nobody. One thread.
#pragma once
#include <memory>
#include <stop_token>

#include "bench/engines/ranked/rank_launcher.h"
#include "bench/plan/plan.h"
#include "core/host/console.h"

namespace feedrate {

class LaunchedJob {
 public:
  virtual ~LaunchedJob() = default;
  [[nodiscard]] virtual bool leads() const = 0;
  /// REQUIRES: it does not lead. Returns the program's exit code. Throws RankLost, Cancelled.
  [[nodiscard]] virtual int follow() = 0;

  [[nodiscard]] virtual LaunchedRanks ranks() const = 0;
  /// How gradients' bytes go from rank to rank where NCCL does not move them: "Open MPI 4.1.4" or
  /// "shared memory". Empty where there is no launcher.
  [[nodiscard]] virtual std::string all_reduce_path() const = 0;
  /// Null where there is no launcher.
  [[nodiscard]] virtual std::shared_ptr<RankLauncher> launcher() const = 0;
  /// The console's, and requested when a rank was lost: no further cell can be measured then.
  [[nodiscard]] virtual std::stop_token stop() const = 0;
};

/// Waits for the others of the job, if there are any. Throws as join_group() does.
[[nodiscard]] std::unique_ptr<LaunchedJob> join_job(Console& console);

/// Throws ConfigError where a launcher has started several of `command`, which is for one process.
void require_no_job(const char* command);

}  // namespace feedrate
