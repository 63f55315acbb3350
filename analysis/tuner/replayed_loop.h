// SPDX-License-Identifier: Apache-2.0
// The training loop of the replay with the loader that feeds it: what replay() runs. Times are
// seconds; one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "analysis/tuner/replay.h"
#include "analysis/tuner/replayed_device.h"
#include "analysis/tuner/replayed_workers.h"

namespace feedrate {

class ReplayedLoop {
 public:
  /// What it refers to outlives it.
  ReplayedLoop(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
               const Course& course, std::uint64_t seed);
  ReplayedLoop(const ReplayedLoop&) = delete;  // The workers refer to the loads.
  ReplayedLoop& operator=(const ReplayedLoop&) = delete;

  void start();
  /// To where the next thing happens.
  void advance();
  [[nodiscard]] bool is_over() const { return steps_.size() >= course_.batches; }

  /// REQUIRES: is_over()
  [[nodiscard]] ReplayedEpoch finish() const;

 private:
  // What the training thread does next once it may go on.
  enum class Phase {
    kWaiting,
    kReceived,
    kLoaded,
    kReleased,
    kCopy,
    kCopied,
    kTrain,
    kLaunch,
    kTrained
  };

  struct Marks {
    double asked = 0.0, loaded = 0.0, copied = 0.0, trained = 0.0;
  };

  void start_workers();
  [[nodiscard]] double next_step(double speed) const;  // Seconds.
  [[nodiscard]] double core_speed() const;
  [[nodiscard]] double host_load() const;
  void pass(double step, double speed);
  void next_phase_work(Phase phase, double seconds, double cpu_share = 1.0);
  void next_phase_at(Phase phase, double when);
  void begin_step();
  void begin_inline_load();
  void look();
  void go_on();
  void begin_copy();
  void copy();
  void begin_training();
  void end_step();

  const BatchCosts& costs_;
  const Cores& cores_;
  const LoopSettings& settings_;
  const Course& course_;
  std::vector<double> loads_;
  ReplayedDevice device_;
  ReplayedWorkers workers_;
  double now_ = 0.0;
  double cpu_ = 0.0;             // Of all threads, since the window began.
  std::set<std::size_t> ready_;  // Received by the training thread.
  ReplayedThread host_;
  double host_share_ = 1.0;  // Of a core, while the host works.
  Phase phase_ = Phase::kWaiting;
  double wake_ =
      std::numeric_limits<double>::infinity();  // When the training thread, at rest, goes on.
  bool idle_ = false;                           // It waits for any batch.
  Marks marks_;
  std::vector<Marks> steps_;
};

}  // namespace feedrate
