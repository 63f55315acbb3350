// SPDX-License-Identifier: Apache-2.0
// A rank as a process: `rank_peer MODE FOLDER [VICTIM]` joins as its environment says and runs
// MODE. It reports to FOLDER/<rank>.txt.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "bench/ranks/join.h"
#include "bench/ranks/launch.h"
#include "core/error.h"
#include "loaders/sampler.h"
#include "tests/support/wait_until.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

struct Task {
  std::string mode;
  fs::path folder;
  int victim = -1;
};

void report(const Task& task, int rank, const std::string& text) {
  const fs::path file = task.folder / fmt::format("{}.txt", rank);
  std::ofstream(file.string() + ".new") << text;
  fs::rename(file.string() + ".new", file);
}

// Runs all collectives and checks their results.
std::string meet(RankGroup& group) {
  const int rank = group.rank();
  const auto size = static_cast<std::size_t>(group.size());
  group.barrier();
  const auto all = group.all_gather(std::to_string(rank));
  for (std::size_t other = 0; other < size; ++other) {
    if (all.at(other) != std::to_string(other)) throw Error("all_gather() mixes ranks up");
  }
  const int last = group.size() - 1;
  const std::string text = group.broadcast("of " + std::to_string(rank), last);
  if (text != "of " + std::to_string(last)) throw Error("broadcast() of another rank");
  std::vector<float> values(100'003, static_cast<float>(rank + 1));
  group.all_reduce(values);
  const auto sum = static_cast<float>(size * (size + 1)) / 2;
  for (const float value : values) {
    if (value != sum) throw Error(fmt::format("all_reduce() gives {}, not {}", value, sum));
  }
  return fmt::format("rank {} of {} by {}", rank, size, group.data_path());
}

// The records that this rank loads of two shuffled epochs of ten records, one line per epoch.
std::string samples_of(const RankGroup& group) {
  Shard shard;
  shard.rank = static_cast<std::size_t>(group.rank());
  shard.replicas = static_cast<std::size_t>(group.size());
  std::string text;
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    const auto order = distributed_order(10, true, 0, epoch, shard);
    text += fmt::format("{}\n", fmt::join(order, " "));
  }
  return text;
}

// Counts seconds, without those in which the machine did not run this process.
class OwnClock {
 public:
  double seconds() const { return seconds_; }

 private:
  std::atomic<double> seconds_ = 0.0;
  std::jthread thread_{[this](const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    testing::wait_until([&, last = Clock::now()]() mutable {
      const Clock::time_point now = Clock::now();
      seconds_ = seconds_ + std::min(0.1, std::chrono::duration<double>(now - last).count());
      last = now;
      return stop.stop_requested();
    });
  }};
};

[[noreturn]] void die() {
  std::raise(SIGKILL);
  std::abort();
}

void repeat(const Task& task, RankGroup& group, const std::string& what) {
  std::vector<float> values(1 << 16);
  for (int step = 0;; ++step) {
    if (group.rank() == task.victim && step == 3) die();
    if (what == "barrier") group.barrier();
    if (what == "reduce") group.all_reduce(values);
  }
}

int run(const Task& task) {
  const Launch launch = read_launch();
  const OwnClock clock;
  double before = clock.seconds();
  try {
    const auto group = join_group(launch);
    if (task.mode == "meet") {
      report(task, launch.rank, meet(*group));
      return 0;
    }
    if (task.mode == "samples") {
      report(task, launch.rank, samples_of(*group));
      group->barrier();
      return 0;
    }
    if (task.mode == "sleep") {
      report(task, launch.rank, fmt::format("{}", ::getpid()));
      before = clock.seconds();
      group->barrier();
      testing::wait_until([&] {
        group->check();
        return false;
      });
    }
    group->barrier();
    before = clock.seconds();
    repeat(task, *group, task.mode.substr(task.mode.find('-') + 1));
    return 0;
  } catch (const RankLost& lost) {
    const double waited = clock.seconds() - before;
    report(task, launch.rank,
           fmt::format("lost {} after {:.1f} s: {}", lost.rank(), waited, lost.what()));
    return 3;
  } catch (const std::exception& error) {
    report(task, launch.rank, fmt::format("failed: {}", error.what()));
    return 1;
  }
}

}  // namespace
}  // namespace feedrate

int main(int count, char** arguments) {
  if (count < 3) return 2;
  return feedrate::run({.mode = arguments[1],
                        .folder = arguments[2],
                        .victim = count > 3 ? std::atoi(arguments[3]) : -1});
}
