// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/launched_job.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "bench/ranks/join.h"
#include "core/error.h"

namespace feedrate {
namespace {

// Prints a note if the other ranks do not come: RANK and WORLD_SIZE may be left over in a shell.
class WaitNote {
 public:
  WaitNote(const Launch& launch, Console& console)
      : thread_([&launch, &console](const std::stop_token& met) {
          constexpr auto kSoon = std::chrono::seconds(5);
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any changed;
          changed.wait_for(lock, met, kSoon, [] { return false; });
          if (met.stop_requested()) return;
          console.err << fmt::format(
                             "rank {}: waits for the others of {} ranks ({}); if no launcher "
                             "started them, unset its variables, as RANK and WORLD_SIZE",
                             launch.rank, launch.size, to_string(launch.launcher))
                      << std::endl;
        }) {}

 private:
  std::jthread thread_;
};

std::unique_ptr<RankGroup> join(const Launch& launch, Console& console) {
  if (launch.size == 1) return nullptr;
  const WaitNote note(launch, console);
  return join_group(launch, console.stop);
}

}  // namespace

LaunchedJob::LaunchedJob(Console& console)
    : console_(console),
      forward_(console.stop, [this] { over_.request_stop(); }),
      group_(join(launch_, console)) {
  if (!group_ || !leads()) return;
  launcher_ = std::make_shared<JobRankLauncher>(*group_, clock_, console.stop);
  launcher_->set_on_broken([this] { over_.request_stop(); });
}

int LaunchedJob::follow() {
  feedrate::follow(*group_, clock_, console_.stop);
  return kExitOk;
}

LaunchedRanks LaunchedJob::ranks() const {
  if (!group_) return {};
  return {static_cast<std::size_t>(launch_.size), static_cast<std::size_t>(launch_.local_size),
          launcher_->cpus()};
}

void require_no_job(const char* command) {
  const Launch launch = read_launch();
  if (launch.size == 1) return;
  throw ConfigError(
      fmt::format("feedrate {}: {} started {} processes; start one, which starts the ranks of its "
                  "cells itself; only `feedrate sweep` measures ranks of a launcher",
                  command, to_string(launch.launcher), launch.size));
}

}  // namespace feedrate
