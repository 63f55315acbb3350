#include "tuner/replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <set>

#include "core/random.h"
#include "tuner/replayed_device.h"

namespace feedrate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Work that a core does, or rest until a moment.
struct Thread {
  double work = 0.0;
  bool runs = false;
  void begin(double seconds) {
    work = seconds;
    runs = true;
  }
};

struct Worker : Thread {
  std::deque<std::size_t> tasks;  // The front one is worked on.
  std::size_t outstanding = 0;    // Handed out to it and not returned by next() yet.
  bool is_new = true;
};

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

class Replay {
 public:
  Replay(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
         const Course& course, std::uint64_t seed)
      : costs_(costs),
        cores_(cores),
        settings_(settings),
        course_(course),
        device_(costs, settings),
        workers_(settings.cached ? 0 : settings.num_workers) {
    RandomStream random(seed);
    for (std::size_t i = 0; i < course.batches + course.unasked; ++i) {
      loads_.push_back(costs.shape[random.below(costs.shape.size())]);
    }
    loads_.back() *= course.last_batch;
  }

  ReplayedEpoch run() {
    start_workers();
    begin_step();
    while (steps_.size() < course_.batches) advance();
    return finish();
  }

 private:
  // ---- time: all that runs shares the cores ----
  void advance() {
    const double of_workers = load_of_workers();
    const double of_others = host_load() + (pin_.runs ? 1.0 : 0.0);
    const double load = of_workers + of_others;
    const double speed = load > cores_.count ? cores_.count / load : 1.0;
    const double worker_speed = speed_of_workers(speed);
    double step = host_.runs ? host_.work / speed : wake_ - now_;
    if (pin_.runs) step = std::min(step, pin_.work / speed);
    for (const Worker& worker : workers_) {
      if (worker.runs) step = std::min(step, worker.work / worker_speed);
    }
    now_ += step;
    cpu_ += step * (of_workers * shared_speed_of_workers(speed) + of_others * speed);
    pass(step, speed, worker_speed);
  }

  // Beyond the lanes a worker loses time, which it spends as it does the rest: on a core in so far
  // as it computes, as where cores share a cache or a bus, and waiting in so far as it waits.
  double load_of_workers() const {
    const auto busy = static_cast<double>(busy_workers());
    const double progress = busy > cores_.lanes ? cores_.lanes / busy : 1.0;
    const double waits = 1.0 - costs_.cpu_share;
    return busy * costs_.cpu_share * (costs_.cpu_share + waits * progress);
  }

  double host_load() const {
    if (host_.runs) return host_share_;
    return idle_ ? 0.0 : costs_.device_wait_cpu;
  }

  std::size_t busy_workers() const {
    return static_cast<std::size_t>(
        std::count_if(workers_.begin(), workers_.end(), [](const Worker& w) { return w.runs; }));
  }

  // The part of a worker's time that waits does not wait longer for a busy core.
  double shared_speed_of_workers(double speed) const {
    return 1.0 / (costs_.cpu_share / speed + 1.0 - costs_.cpu_share);
  }

  double speed_of_workers(double speed) const {
    const double shared = shared_speed_of_workers(speed);
    const auto busy = static_cast<double>(busy_workers());
    return busy > cores_.lanes ? std::min(shared, cores_.lanes / busy) : shared;
  }

  void pass(double step, double speed, double worker_speed) {
    constexpr double kRounding = 1e-12;
    const auto ends = [&](Thread& thread, double rate) {
      if (!thread.runs) return false;
      thread.work -= step * rate;
      thread.runs = thread.work > kRounding;
      return !thread.runs;
    };
    const bool host_ends = host_.runs ? ends(host_, speed) : now_ >= wake_;
    const bool pin_ends = ends(pin_, speed);
    for (Worker& worker : workers_) {
      if (ends(worker, worker_speed)) deliver(worker);
    }
    if (pin_ends) pin_done();
    if (host_ends) go_on();
    if (idle_) look();
  }

  // ---- workers and the pin thread ----
  void start_workers() {
    const bool fresh = course_.first_of_loader || !settings_.persistent_workers;
    if (fresh) now_ = costs_.worker_start * static_cast<double>(workers_.size());
    for (Worker& worker : workers_) worker.is_new = fresh;
    const std::size_t primed = workers_.size() * settings_.prefetch_factor;
    for (std::size_t i = 0; i < primed; ++i) hand_out();
  }

  // In order: round robin. Otherwise a worker that has all it may have is passed over.
  void hand_out() {
    if (sent_ == loads_.size()) return;
    const auto next = [&] { return cursor_++ % workers_.size(); };
    std::size_t chosen = next();
    while (!settings_.in_order && workers_[chosen].outstanding >= settings_.prefetch_factor) {
      chosen = next();
    }
    workers_[chosen].tasks.push_back(sent_++);
    ++workers_[chosen].outstanding;
    made_by_.push_back(chosen);
    begin_task(workers_[chosen]);
  }

  void begin_task(Worker& worker) {
    if (worker.runs || worker.tasks.empty()) return;
    const double first = worker.is_new ? costs_.first_task : 0.0;
    worker.is_new = false;
    worker.begin(first + costs_.worker_load * loads_[worker.tasks.front()]);
  }

  void deliver(Worker& worker) {
    const std::size_t batch = worker.tasks.front();
    worker.tasks.pop_front();
    (settings_.pin_memory ? to_pin_ : arrived_).push_back(batch);
    begin_task(worker);
    begin_pin();
  }

  void begin_pin() {
    if (!pin_.runs && !to_pin_.empty()) pin_.begin(costs_.receive + costs_.pin);
  }

  void pin_done() {
    arrived_.push_back(to_pin_.front());
    to_pin_.pop_front();
    begin_pin();
  }

  // ---- the training thread ----
  void next_phase_work(Phase phase, double seconds, double cpu_share = 1.0) {
    phase_ = phase;
    host_share_ = cpu_share;
    host_.begin(seconds);
    wake_ = kNever;
  }

  void next_phase_at(Phase phase, double when) {
    phase_ = phase;
    host_.runs = false;
    wake_ = when;
  }

  void begin_step() {
    if (steps_.size() == course_.discarded) cpu_ = 0.0;
    marks_.asked = now_;
    if (settings_.cached) {
      next_phase_at(Phase::kLoaded, now_);
    } else if (workers_.empty()) {
      const double pin = settings_.pin_memory ? costs_.inline_pin : 0.0;
      next_phase_work(Phase::kLoaded, costs_.inline_load * loads_[steps_.size()] + pin,
                      costs_.cpu_share);
    } else {
      look();
    }
  }

  // As next() does: the batch that is due, else any that arrived, else wait.
  void look() {
    idle_ = false;
    if (!ready_.empty() && (!settings_.in_order || *ready_.begin() == steps_.size())) {
      --workers_[made_by_[*ready_.begin()]].outstanding;
      ready_.erase(ready_.begin());
      hand_out();
      next_phase_work(Phase::kLoaded, costs_.dispatch);
    } else if (!arrived_.empty()) {
      next_phase_work(Phase::kReceived, settings_.pin_memory ? 0.0 : costs_.receive);
    } else {
      idle_ = true;
      next_phase_at(Phase::kWaiting, kNever);
    }
  }

  void go_on() {
    switch (phase_) {
      case Phase::kWaiting:
        return look();
      case Phase::kReceived:
        ready_.insert(arrived_.front());
        arrived_.pop_front();
        return look();
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
      next_phase_work(Phase::kReleased, workers_.empty() ? 0.0 : costs_.release);
    } else if (settings_.pin_memory && settings_.non_blocking) {
      next_phase_at(Phase::kTrain, device_.queue_copy(now_));
    } else {
      next_phase_at(Phase::kCopy, device_.copy_may_begin(now_));
    }
  }

  // The blocking copy, now that the stream is free: the engine's from pinned memory, else the
  // host's, which copies into the driver's pinned buffer.
  void copy() {
    if (settings_.pin_memory) return next_phase_at(Phase::kCopied, now_ + costs_.copy_pinned);
    next_phase_work(Phase::kCopied, workers_.empty() ? costs_.copy_pageable : costs_.copy_fresh);
  }

  void begin_training() {
    marks_.copied = now_;
    if (!device_.owes_step()) return end_step();
    next_phase_work(Phase::kLaunch, costs_.host);
  }

  void end_step() {
    marks_.trained = now_;
    steps_.push_back(marks_);
    if (steps_.size() < course_.batches) begin_step();
  }

  ReplayedEpoch finish() const {
    ReplayedEpoch epoch;
    const std::size_t kept = steps_.size() - course_.discarded;
    for (std::size_t i = course_.discarded; i < steps_.size(); ++i) {
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
        (steps_.back().trained - steps_[course_.discarded].asked) / static_cast<double>(kept);
    if (!settings_.discard && epoch.step_time > 0.0) epoch.au = costs_.compute / epoch.step_time;
    epoch.first_batch_time = steps_.front().loaded;
    const bool stops = !settings_.persistent_workers;
    epoch.epoch_time =
        now_ + (stops ? costs_.worker_stop : 0.0) * static_cast<double>(workers_.size());
    return epoch;
  }

  const BatchCosts& costs_;
  const Cores& cores_;
  const LoopSettings& settings_;
  const Course& course_;
  std::vector<double> loads_;
  ReplayedDevice device_;
  double now_ = 0.0;
  double cpu_ = 0.0;  // Of all threads, since the window began.
  std::vector<Worker> workers_;
  std::size_t sent_ = 0;
  std::size_t cursor_ = 0;            // The worker that is next.
  std::vector<std::size_t> made_by_;  // The worker of each batch that was handed out.
  std::deque<std::size_t> to_pin_;
  std::deque<std::size_t> arrived_;  // In the queue that next() reads.
  std::set<std::size_t> ready_;      // Received by the training thread.
  Thread pin_, host_;
  double host_share_ = 1.0;  // Of a core, while the host works.
  Phase phase_ = Phase::kWaiting;
  double wake_ = kNever;  // When the training thread, at rest, goes on.
  bool idle_ = false;     // It waits for any batch.
  Marks marks_;
  std::vector<Marks> steps_;
};

}  // namespace

ReplayedEpoch replay(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
                     const Course& course, std::uint64_t seed) {
  return Replay(costs, cores, settings, course, seed).run();
}

Course steady_course(const LoopSettings& settings, std::size_t steps) {
  const std::size_t workers = settings.num_workers;
  const std::size_t round =
      std::lcm(std::max<std::size_t>(workers, 1), std::max<std::size_t>(settings.sync_every, 1));
  const std::size_t outstanding = workers * settings.prefetch_factor;
  const std::size_t discarded = 1 + std::max({2 * workers, outstanding, kReplayRunAhead + 1});
  const std::size_t kept = (std::max(steps, 2 * outstanding) + round - 1) / round * round;
  return {.batches = discarded + kept, .unasked = outstanding, .discarded = discarded};
}

}  // namespace feedrate
