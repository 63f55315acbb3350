// SPDX-License-Identifier: Apache-2.0
// This process's role in the job that srun, mpirun or torchrun started. One process leads: it
// plans, decides and writes; the others follow. Without a launcher this process leads. One thread.
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
  /// Runs until the leader ends the job; returns the program's exit code. REQUIRES: !leads().
  /// Throws RankLost, Cancelled.
  [[nodiscard]] virtual int follow() = 0;

  [[nodiscard]] virtual LaunchedRanks ranks() const = 0;
  /// The transport of gradients without NCCL: "Open MPI 4.1.4" or "shared memory". Empty without a
  /// launcher.
  [[nodiscard]] virtual std::string all_reduce_path() const = 0;
  /// Null without a launcher.
  [[nodiscard]] virtual std::shared_ptr<RankLauncher> launcher() const = 0;
  /// Requested when the console's token is, or when a rank is lost: no more cells can be measured.
  [[nodiscard]] virtual std::stop_token stop() const = 0;
};

/// Waits for the other ranks of the job. Throws as join_group() does.
[[nodiscard]] std::unique_ptr<LaunchedJob> join_job(Console& console);

/// Throws ConfigError if a launcher started several processes of `command`, which needs only one.
void require_no_job(const char* command);

}  // namespace feedrate
