// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/replay.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "analysis/tuner/replayed_device.h"
#include "analysis/tuner/replayed_workers.h"
#include "core/random.h"

namespace feedrate {
namespace {

constexpr double kNoChange = std::numeric_limits<double>::infinity();

std::vector<double> draw_loads(const BatchCosts& costs, const EpochPlan& plan, std::uint64_t seed) {
  std::vector<double> loads;
  RandomStream random(seed);
  for (std::size_t i = 0; i < plan.batches + plan.extra; ++i) {
    loads.push_back(costs.shape[random.below(costs.shape.size())]);
  }
  loads.back() *= plan.last_batch;
  return loads;
}

// The training loop with its loader. Times are seconds.
class ReplayedLoop {
 public:
  ReplayedLoop(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
               const EpochPlan& plan, std::uint64_t seed)
      : costs_(costs),
        cores_(cores),
        settings_(settings),
        plan_(plan),
        loads_(draw_loads(costs, plan, seed)),
        device_(costs, settings),
        workers_(costs, cores, settings, loads_) {}
  ReplayedLoop(const ReplayedLoop&) = delete;  // workers_ refers to loads_
  ReplayedLoop& operator=(const ReplayedLoop&) = delete;

  void start() {
    start_workers();
    begin_step();
  }

  [[nodiscard]] bool is_over() const { return steps_.size() >= plan_.batches; }

  // Advances to the next event.
  // Adds the step to the clock first: a step below its rounding would never end.
  void advance() {
    const double speed = core_speed();
    const double next = next_step(speed);
    const double time = now_ + next;
    const double step = std::max(next, time - now_);
    const double of_others = host_load() + workers_.pin_load();
    now_ = time;
    cpu_ += step * (workers_.load() * workers_.shared_speed(speed) + of_others * speed);
    pass(step, speed);
  }

  ReplayedEpoch finish() const {
    ReplayedEpoch epoch;
    const std::size_t kept = steps_.size() - plan_.discarded;
    for (std::size_t i = plan_.discarded; i < steps_.size(); ++i) {
      epoch.wait_time += steps_[i].loaded - steps_[i].asked;
      epoch.copy_time += steps_[i].copied - steps_[i].loaded;
      epoch.training_time += steps_[i].trained - steps_[i].copied;
    }
    epoch.cpu_time = cpu_;
    for (double* time :
         {&epoch.wait_time, &epoch.copy_time, &epoch.training_time, &epoch.cpu_time}) {
      *time /= static_cast<double>(kept);
    }
    epoch.step_time =
        (steps_.back().trained - steps_[plan_.discarded].asked) / static_cast<double>(kept);
    if (!settings_.discard && epoch.step_time > 0.0) epoch.au = costs_.compute / epoch.step_time;
    epoch.first_batch_time = steps_.front().loaded;
    const bool stops = !settings_.persistent_workers;
    epoch.epoch_time =
        now_ + (stops ? costs_.worker_stop : 0.0) * static_cast<double>(workers_.count());
    return epoch;
  }

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

  void start_workers() {
    const bool are_new = plan_.first_of_loader || !settings_.persistent_workers;
    if (are_new) now_ = costs_.worker_start * static_cast<double>(workers_.count());
    workers_.start(are_new);
  }

  double core_speed() const {
    const double load = workers_.load() + host_load() + workers_.pin_load();
    return load > cores_.count ? cores_.count / load : 1.0;
  }

  double next_step(double speed) const {
    const double host_end = host_.runs ? host_.work / speed : wake_ - now_;
    return std::min(host_end, workers_.next_end(speed));
  }

  // A host may spin while it waits for the device, never while it waits for workers.
  double host_load() const {
    if (host_.runs) return host_share_;
    return idle_ || is_over() ? 0.0 : costs_.device_wait_cpu;
  }

  void pass(double step, double speed) {
    const bool host_ends = host_.runs ? host_.ends_with(step * speed) : now_ >= wake_;
    workers_.pass(step, speed);
    if (host_ends) continue_phase();
    if (idle_) poll_workers();
  }

  void next_phase_work(Phase phase, double seconds, double cpu_share = 1.0) {
    phase_ = phase;
    host_share_ = cpu_share;
    host_.begin(seconds);
    wake_ = kNoChange;
  }

  void next_phase_at(Phase phase, double when) {
    phase_ = phase;
    host_.runs = false;
    wake_ = when;
  }

  void begin_step() {
    if (steps_.size() == plan_.discarded) cpu_ = 0.0;
    marks_.asked = now_;
    if (settings_.cached) {
      next_phase_at(Phase::kLoaded, now_);
    } else if (workers_.count() == 0) {
      begin_inline_load();
    } else {
      poll_workers();
    }
  }

  void begin_inline_load() {
    const double pin = settings_.pin_memory ? costs_.inline_pin : 0.0;
    next_phase_work(Phase::kLoaded, costs_.inline_load * loads_[steps_.size()] + pin,
                    costs_.cpu_share);
  }

  // Same as next(): the due batch, else any that arrived, else wait.
  void poll_workers() {
    idle_ = false;
    if (!ready_.empty() && (!settings_.in_order || *ready_.begin() == steps_.size())) {
      const std::size_t due = *ready_.begin();
      ready_.erase(ready_.begin());
      workers_.returned(due);
      next_phase_work(Phase::kLoaded, costs_.dispatch);
    } else if (workers_.has_arrived()) {
      next_phase_work(Phase::kReceived, settings_.pin_memory ? 0.0 : costs_.receive);
    } else {
      idle_ = true;
      next_phase_at(Phase::kWaiting, kNoChange);
    }
  }

  void continue_phase() {
    switch (phase_) {
      case Phase::kWaiting:
        return poll_workers();
      case Phase::kReceived:
        ready_.insert(workers_.receive());
        return poll_workers();
      case Phase::kLoaded:
        return begin_copy();
      case Phase::kReleased:
        marks_.copied = now_;
        return end_step();
      case Phase::kCopy:
        return copy();
      case Phase::kCopied:
        device_.copied(now_);
        return begin_training();
      case Phase::kTrain:
        return begin_training();
      case Phase::kLaunch:
        return next_phase_at(Phase::kTrained, device_.launch(now_));
      case Phase::kTrained:
        return end_step();
    }
  }

  void begin_copy() {
    marks_.loaded = now_;
    if (settings_.discard) {
      next_phase_work(Phase::kReleased, workers_.count() == 0 ? 0.0 : costs_.release);
    } else if (settings_.pin_memory && settings_.non_blocking) {
      next_phase_at(Phase::kTrain, device_.queue_copy(now_));
    } else {
      next_phase_at(Phase::kCopy, device_.copy_may_begin(now_));
    }
  }

  // The host copies pageable memory into the driver's pinned buffer.
  void copy() {
    if (settings_.pin_memory) return next_phase_at(Phase::kCopied, now_ + costs_.copy_pinned);
    next_phase_work(Phase::kCopied,
                    workers_.count() == 0 ? costs_.copy_pageable : costs_.copy_fresh);
  }

  void begin_training() {
    marks_.copied = now_;
    if (!device_.has_step()) return end_step();
    next_phase_work(Phase::kLaunch, costs_.host);
  }

  void end_step() {
    marks_.trained = now_;
    steps_.push_back(marks_);
    if (is_over()) return next_phase_at(Phase::kWaiting, kNoChange);
    begin_step();
  }

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

}  // namespace

ReplayedEpoch replay(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
                     const EpochPlan& plan, std::uint64_t seed) {
  ReplayedLoop loop(costs, cores, settings, plan, seed);
  loop.start();
  while (!loop.is_over()) loop.advance();
  return loop.finish();
}

EpochPlan steady_epoch(const LoopSettings& settings, std::size_t steps) {
  const std::size_t workers = settings.num_workers;
  const std::size_t round =
      std::lcm(std::max<std::size_t>(workers, 1), std::max<std::size_t>(settings.sync_every, 1));
  const std::size_t outstanding = workers * settings.prefetch_factor;
  const std::size_t discarded = 1 + std::max({2 * workers, outstanding, kReplayRunAhead + 1});
  const std::size_t kept = (std::max(steps, 2 * outstanding) + round - 1) / round * round;
  return {.batches = discarded + kept, .extra = outstanding, .discarded = discarded};
}

}  // namespace feedrate
