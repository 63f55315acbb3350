// SPDX-License-Identifier: Apache-2.0
// The training loop of the replay with its loader, for replay(). Times are seconds; one thread.
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
  /// All arguments must outlive it.
  ReplayedLoop(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
               const EpochPlan& plan, std::uint64_t seed);
  ReplayedLoop(const ReplayedLoop&) = delete;  // workers_ refers to loads_.
  ReplayedLoop& operator=(const ReplayedLoop&) = delete;

  void start();
  /// Advances to the next event.
  void advance();
  [[nodiscard]] bool is_over() const { return steps_.size() >= plan_.batches; }

  /// REQUIRES: is_over()
  [[nodiscard]] ReplayedEpoch finish() const;

 private:
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
  [[nodiscard]] double next_step(double speed) const;
  [[nodiscard]] double core_speed() const;
  [[nodiscard]] double host_load() const;
  void pass(double step, double speed);
  void next_phase_work(Phase phase, double seconds, double cpu_share = 1.0);
  void next_phase_at(Phase phase, double when);
  void begin_step();
  void begin_inline_load();
  void poll_workers();
  void continue_phase();
  void begin_copy();
  void copy();
  void begin_training();
  void end_step();

  const BatchCosts& costs_;
  const Cores& cores_;
  const LoopSettings& settings_;
  const EpochPlan& plan_;
  std::vector<double> loads_;
  ReplayedDevice device_;
  ReplayedWorkers workers_;
  double now_ = 0.0;
  double cpu_ = 0.0;             // Of all threads, since the begin of the window.
  std::set<std::size_t> ready_;  // Received by the training thread.
  ReplayedThread host_;
  double host_share_ = 1.0;  // Share of a core while the host works.
  Phase phase_ = Phase::kWaiting;
  // The time at which the waiting training thread continues.
  double wake_ = std::numeric_limits<double>::infinity();
  bool idle_ = false;  // It waits for any batch.
  Marks marks_;
  std::vector<Marks> steps_;
};

}  // namespace feedrate
