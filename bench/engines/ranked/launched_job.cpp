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
#include "bench/ranks/launch.h"
#include "core/clock.h"
#include "core/error.h"

namespace feedrate {
namespace {

class NoJob final : public LaunchedJob {
 public:
  explicit NoJob(std::stop_token stop) : stop_(std::move(stop)) {}

  bool leads() const override { return true; }
  int follow() override { return kExitOk; }
  LaunchedRanks ranks() const override { return {}; }
  std::string all_reduce_path() const override { return {}; }
  std::shared_ptr<RankLauncher> launcher() const override { return nullptr; }
  std::stop_token stop() const override { return stop_; }

 private:
  std::stop_token stop_;
};

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

class StartedJob final : public LaunchedJob {
 public:
  StartedJob(const Launch& launch, Console& console)
      : console_(console),
        launch_(launch),
        forward_(console.stop, [this] { over_.request_stop(); }),
        group_(join(launch, console)) {
    if (!leads()) return;
    launcher_ = std::make_shared<JobRankLauncher>(*group_, clock_, console.stop);
    launcher_->set_on_broken([this] { over_.request_stop(); });
  }

  bool leads() const override { return group_->rank() == 0; }

  int follow() override {
    feedrate::follow(*group_, clock_, console_.stop);
    return kExitOk;
  }

  LaunchedRanks ranks() const override {
    return {static_cast<std::size_t>(launch_.size), static_cast<std::size_t>(launch_.local_size),
            launcher_->cpus()};
  }
  std::string all_reduce_path() const override { return group_->data_path(); }
  std::shared_ptr<RankLauncher> launcher() const override { return launcher_; }
  std::stop_token stop() const override { return over_.get_token(); }

 private:
  static std::unique_ptr<RankGroup> join(const Launch& launch, Console& console) {
    const WaitNote note(launch, console);
    return join_group(launch, console.stop);
  }

  Console& console_;
  const Launch launch_;
  SteadyClock clock_;
  std::stop_source over_;
  std::stop_callback<std::function<void()>> forward_;
  std::unique_ptr<RankGroup> group_;
  std::shared_ptr<JobRankLauncher> launcher_;
};

}  // namespace

std::unique_ptr<LaunchedJob> join_job(Console& console) {
  const Launch launch = read_launch();
  if (launch.size == 1) return std::make_unique<NoJob>(console.stop);
  return std::make_unique<StartedJob>(launch, console);
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
