// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>
#include <utility>

#include "bench/engines/ranked/rank_launcher.h"
#include "core/error.h"

namespace feedrate {
namespace {

// No request is as short.
constexpr const char* kOver = "over";

// A launcher stops all ranks as soon as one is killed, so it waits for the loss to be reported.
void throw_if_lost(RankGroup& group) {
  constexpr int kLooks = 50;
  for (int look = 0; look < kLooks; ++look) {
    group.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

JobRankLauncher::JobRankLauncher(RankGroup& group, Clock& clock, const std::stop_token& stop)
    : group_(group), stop_(stop), own_(group, clock, stop) {}

JobRankLauncher::~JobRankLauncher() {
  if (is_broken_) return;
  try {
    static_cast<void>(group_.broadcast(kOver));
  } catch (const std::exception&) {
    // No rank is left.
  }
}

// Ignores the runner's stop token of the cell, since each rank has its own time limit: if only this
// rank stopped, the group would be lost.
std::vector<RankReport> JobRankLauncher::measure(const RankRequest& request, std::size_t /*ranks*/,
                                                 const std::stop_token& /*stop*/) {
  try {
    try {
      return request_all(request);
    } catch (const Cancelled&) {
      throw_if_lost(group_);
      throw;
    }
  } catch (const Cancelled&) {
    end(kInterrupted);
    throw;
  } catch (const RankLost& lost) {
    end(lost.what());
    if (lost.cause().find(kInterrupted) != std::string::npos) throw Cancelled();
    throw;
  }
}

void JobRankLauncher::end(const char* why) {
  is_broken_ = true;
  group_.leave(why);
  if (on_broken_) on_broken_();
}

std::vector<RankReport> JobRankLauncher::request_all(const RankRequest& request) {
  static_cast<void>(group_.broadcast(to_text(request), 0, stop_));
  const RankReport own = own_.measure(request, stop_);
  std::vector<RankReport> reports;
  for (const std::string& text : group_.gather(to_text(own), stop_)) {
    reports.push_back(report_from_text(text));
  }
  return reports;
}

void follow(RankGroup& group, Clock& clock, const std::stop_token& stop) {
  try {
    Rank rank(group, clock, stop);
    for (;;) {
      const std::string text = group.broadcast({}, 0, stop);
      if (text == kOver) return;
      static_cast<void>(group.gather(to_text(rank.measure(request_from_text(text), stop)), stop));
    }
  } catch (const Cancelled&) {
    group.leave(kInterrupted);
    throw;
  } catch (const std::exception& error) {
    group.leave(error.what());
    throw;
  }
}

}  // namespace feedrate
