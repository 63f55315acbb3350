// SPDX-License-Identifier: Apache-2.0
// The workers of the replay and its pin thread: what they are handed, what they make of it, and how
// fast they are where they share cores with each other and with the training thread. Times are
// seconds; one thread.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "analysis/tuner/replay.h"

namespace feedrate {

/// What a core works on.
struct ReplayedThread {
  double work = 0.0;
  bool runs = false;

  void begin(double seconds) {
    work = seconds;
    runs = true;
  }
  /// Takes off what was done and returns whether it has ended with that.
  [[nodiscard]] bool ends_with(double done);
};

class ReplayedWorkers {
 public:
  /// `loads`: what each batch costs, relative to their mean. All of it outlives this.
  ReplayedWorkers(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
                  const std::vector<double>& loads);

  [[nodiscard]] std::size_t count() const { return workers_.size(); }

  /// Hands out as many tasks as may be outstanding, to workers that are new or have worked before.
  void start(bool are_new);
  /// Whether a batch is in the queue that next() reads.
  [[nodiscard]] bool has_arrived() const { return !arrived_.empty(); }
  /// Takes the first out of it. REQUIRES: has_arrived()
  [[nodiscard]] std::size_t receive();
  /// next() returned this one, so that there is a task more to hand out.
  void returned(std::size_t batch);

  /// The cores that all workers, and the pin thread, would keep busy.
  [[nodiscard]] double load() const;
  [[nodiscard]] double pin_load() const { return pin_.runs ? 1.0 : 0.0; }
  /// How fast a worker is where cores run what they share at `speed`.
  [[nodiscard]] double shared_speed(double speed) const;
  /// When the next of them ends its work; never is infinity.
  [[nodiscard]] double next_end(double speed) const;
  /// `seconds` go by in which all of them work.
  void pass(double seconds, double speed);

 private:
  struct Worker {
    bool runs = false;
    std::deque<std::size_t> tasks;  // The front one is worked on.
    std::size_t outstanding = 0;    // Handed out to it and not returned by next() yet.
    bool is_new = true;
  };

  [[nodiscard]] double worker_speed(double speed) const;
  void hand_out();
  void begin_task(std::size_t index);
  [[nodiscard]] std::vector<std::size_t> take_ended();
  void deliver(std::size_t index);
  void begin_pin();
  void end_pin();

  const BatchCosts& costs_;
  const Cores& cores_;
  const LoopSettings& settings_;
  const std::vector<double>& loads_;
  std::vector<Worker> workers_;
  // All workers that run do so at one speed: what each has left to do is what it ends at minus what
  // all of them have done. Thus an event costs log(workers), not workers.
  using End = std::pair<double, std::size_t>;  // Of the work of all, and the worker.
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  double done_ = 0.0;  // By each worker that has run all the time.
  ReplayedThread pin_;
  std::size_t sent_ = 0;
  std::size_t cursor_ = 0;            // The worker that is next.
  std::vector<std::size_t> made_by_;  // The worker of each batch that was handed out.
  std::deque<std::size_t> to_pin_;
  std::deque<std::size_t> arrived_;
};

}  // namespace feedrate
