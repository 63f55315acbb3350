// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of the test: each calls its group's functions as a process would. A lost
// rank ends the waiting of the others.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/ranks/group.h"
#include "core/error.h"

namespace feedrate::testing {

/// State shared by the ranks: a meeting ends when all have passed their text.
class MeetingPoint {
 public:
  explicit MeetingPoint(std::size_t ranks) : texts_(ranks) {}

  std::vector<std::string> meet(int rank, std::string text, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const std::size_t meeting = meetings_;
    texts_[static_cast<std::size_t>(rank)] = std::move(text);
    if (++arrived_ == texts_.size()) {
      arrived_ = 0;
      ++meetings_;
      result_ = texts_;
      changed_.notify_all();
      return result_;
    }
    changed_.wait(lock, stop, [&] { return meetings_ != meeting || lost_ >= 0; });
    if (meetings_ != meeting) return result_;
    if (stop.stop_requested()) throw Cancelled();
    throw RankLost(lost_, "here", cause_);
  }

  void check() const {
    const std::lock_guard lock(mutex_);
    if (lost_ >= 0) throw RankLost(lost_, "here", cause_);
  }

  void lose(int rank, std::string cause) {
    const std::lock_guard lock(mutex_);
    if (lost_ < 0) cause_ = std::move(cause);
    if (lost_ < 0) lost_ = rank;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::string> texts_, result_;
  std::size_t arrived_ = 0;
  std::size_t meetings_ = 0;
  int lost_ = -1;
  std::string cause_;
};

class ThreadGroup final : public RankGroup {
 public:
  ThreadGroup(MeetingPoint& point, int rank, int size) : point_(point), rank_(rank) {
    for (int i = 0; i < size; ++i) locations_.push_back({i, "here"});
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return static_cast<int>(locations_.size()); }
  const std::vector<RankLocation>& locations() const noexcept override { return locations_; }
  std::string data_path() const override { return "threads"; }

  void barrier(const std::stop_token& stop) override { meet("barrier", {}, stop); }
  std::vector<std::string> all_gather(std::string own, const std::stop_token& stop) override {
    return meet("gather", std::move(own), stop);
  }
  std::vector<std::string> gather(std::string own, const std::stop_token& stop) override {
    std::vector<std::string> all = meet("gather", std::move(own), stop);
    if (rank_ != 0) all.clear();
    return all;
  }
  std::string broadcast(std::string own, int root, const std::stop_token& stop) override {
    return meet("broadcast", std::move(own), stop).at(static_cast<std::size_t>(root));
  }
  bool agree(bool ok, const std::stop_token& stop) override {
    for (const std::string& text : meet("agree", ok ? "1" : "0", stop)) ok = ok && text == "1";
    return ok;
  }
  void all_reduce(std::span<float> values, const std::stop_token& stop) override {
    std::vector<std::string> all =
        meet("reduce", {reinterpret_cast<const char*>(values.data()), values.size_bytes()}, stop);
    for (float& value : values) value = 0.0F;
    for (const std::string& text : all) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += reinterpret_cast<const float*>(text.data())[i];
      }
    }
  }

  void check() override { point_.check(); }
  void leave(std::string_view why) noexcept override { point_.lose(rank_, std::string(why)); }

  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }

 private:
  // Checks that all ranks call the same function.
  std::vector<std::string> meet(const std::string& what, std::string text,
                                const std::stop_token& stop) {
    calls_.push_back(what);
    std::vector<std::string> all = point_.meet(rank_, what + ':' + text, stop);
    for (std::string& one : all) {
      if (!one.starts_with(what + ':')) throw Error("ranks call different functions: " + one);
      one.erase(0, what.size() + 1);
    }
    return all;
  }

  MeetingPoint& point_;
  const int rank_;
  std::vector<RankLocation> locations_;
  std::vector<std::string> calls_;
};

/// Runs `body` once per rank, each on its own thread, and returns when all have ended. A rank whose
/// body throws is lost.
inline void run_thread_ranks(int ranks, const std::function<void(ThreadGroup&)>& body) {
  MeetingPoint point(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadGroup group(point, rank, ranks);
      try {
        body(group);
      } catch (const std::exception& error) {
        group.leave(error.what());
      }
    });
  }
}

}  // namespace feedrate::testing
