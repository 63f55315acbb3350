// SPDX-License-Identifier: Apache-2.0
// The workers and the pin thread of the replay: their tasks, and their speed on shared cores. Times
// are seconds; one thread.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "analysis/tuner/replay.h"

namespace feedrate {

struct ReplayedThread {
  double work = 0.0;
  bool runs = false;

  void begin(double seconds) {
    work = seconds;
    runs = true;
  }
  /// Subtracts `done` and returns whether the work has ended.
  [[nodiscard]] bool ends_with(double done);
};

class ReplayedWorkers {
 public:
  /// `loads`: cost of each batch, relative to their mean. All arguments must outlive this.
  ReplayedWorkers(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
                  const std::vector<double>& loads);

  [[nodiscard]] std::size_t count() const { return workers_.size(); }

  /// Hands out the initial tasks. `are_new`: the workers just started.
  void start(bool are_new);
  /// Whether a batch is in the queue that next() reads.
  [[nodiscard]] bool has_arrived() const { return !arrived_.empty(); }
  /// Takes the first batch of that queue. REQUIRES: has_arrived()
  [[nodiscard]] std::size_t receive();
  /// next() returned this batch: hands out the next task.
  void returned(std::size_t batch);

  /// The number of cores that the workers would keep busy.
  [[nodiscard]] double load() const;
  [[nodiscard]] double pin_load() const { return pin_.runs ? 1.0 : 0.0; }
  /// The speed of a worker on cores with this speed.
  [[nodiscard]] double shared_speed(double speed) const;
  /// The time until the next end of work; infinity for never.
  [[nodiscard]] double next_end(double speed) const;
  void pass(double seconds, double speed);

 private:
  struct Worker {
    bool runs = false;
    std::deque<std::size_t> tasks;  // The front one is running.
    std::size_t outstanding = 0;    // Handed out, not yet returned by next().
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
  // All running workers have the same speed, so each stores its end in units of done_. An event
  // thus costs log(workers).
  using End = std::pair<double, std::size_t>;  // The value of done_ at the end, and the worker.
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  double done_ = 0.0;  // Work of a worker that has always run.
  ReplayedThread pin_;
  std::size_t sent_ = 0;
  std::size_t cursor_ = 0;
  std::vector<std::size_t> made_by_;  // The worker of each batch.
  std::deque<std::size_t> to_pin_;
  std::deque<std::size_t> arrived_;
};

}  // namespace feedrate
