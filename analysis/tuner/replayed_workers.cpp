// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/replayed_workers.h"

#include <algorithm>
#include <limits>

namespace feedrate {

bool ReplayedThread::ends_with(double done) {
  constexpr double kRounding = 1e-12;
  if (!runs) return false;
  work -= done;
  runs = work > kRounding;
  return !runs;
}

ReplayedWorkers::ReplayedWorkers(const BatchCosts& costs, const Cores& cores,
                                 const LoopSettings& settings, const std::vector<double>& loads)
    : costs_(costs),
      cores_(cores),
      settings_(settings),
      loads_(loads),
      workers_(settings.cached ? 0 : settings.num_workers) {}

void ReplayedWorkers::start(bool are_new) {
  for (Worker& worker : workers_) worker.is_new = are_new;
  const std::size_t primed = workers_.size() * settings_.prefetch_factor;
  for (std::size_t i = 0; i < primed; ++i) hand_out();
}

std::size_t ReplayedWorkers::receive() {
  const std::size_t batch = arrived_.front();
  arrived_.pop_front();
  return batch;
}

void ReplayedWorkers::returned(std::size_t batch) {
  --workers_[made_by_[batch]].outstanding;
  hand_out();
}

// Beyond `lanes`, both computing and waiting slow down.
double ReplayedWorkers::load() const {
  const auto all = static_cast<double>(ends_.size());
  const double progress = all > cores_.lanes ? cores_.lanes / all : 1.0;
  const double waits = 1.0 - costs_.cpu_share;
  return all * costs_.cpu_share * (costs_.cpu_share + waits * progress);
}

// Waiting does not depend on the core's speed.
double ReplayedWorkers::shared_speed(double speed) const {
  return 1.0 / (costs_.cpu_share / speed + 1.0 - costs_.cpu_share);
}

double ReplayedWorkers::worker_speed(double speed) const {
  const double shared = shared_speed(speed);
  const auto all = static_cast<double>(ends_.size());
  return all > cores_.lanes ? std::min(shared, cores_.lanes / all) : shared;
}

double ReplayedWorkers::next_end(double speed) const {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double least = ends_.empty() ? kNever : std::max(0.0, ends_.top().first - done_);
  return std::min(pin_.runs ? pin_.work / speed : kNever, least / worker_speed(speed));
}

void ReplayedWorkers::pass(double seconds, double speed) {
  const double of_worker = worker_speed(speed);
  const bool pin_ends = pin_.ends_with(seconds * speed);
  done_ += seconds * of_worker;
  for (const std::size_t worker : take_ended()) deliver(worker);
  if (pin_ends) end_pin();
}

std::vector<std::size_t> ReplayedWorkers::take_ended() {
  constexpr double kRounding = 1e-12;
  std::vector<std::size_t> ended;
  while (!ends_.empty() && ends_.top().first - done_ <= kRounding * std::max(1.0, done_)) {
    ended.push_back(ends_.top().second);
    workers_[ended.back()].runs = false;
    ends_.pop();
  }
  if (ends_.empty()) done_ = 0.0;
  std::sort(ended.begin(), ended.end());
  return ended;
}

void ReplayedWorkers::hand_out() {
  if (sent_ == loads_.size()) return;
  const auto next = [&] { return cursor_++ % workers_.size(); };
  std::size_t chosen = next();
  while (!settings_.in_order && workers_[chosen].outstanding >= settings_.prefetch_factor) {
    chosen = next();
  }
  workers_[chosen].tasks.push_back(sent_++);
  ++workers_[chosen].outstanding;
  made_by_.push_back(chosen);
  begin_task(chosen);
}

void ReplayedWorkers::begin_task(std::size_t index) {
  Worker& worker = workers_[index];
  if (worker.runs || worker.tasks.empty()) return;
  const double first = worker.is_new ? costs_.first_task : 0.0;
  worker.is_new = false;
  worker.runs = true;
  ends_.emplace(done_ + first + costs_.worker_load * loads_[worker.tasks.front()], index);
}

void ReplayedWorkers::deliver(std::size_t index) {
  std::deque<std::size_t>& tasks = workers_[index].tasks;
  (settings_.pin_memory ? to_pin_ : arrived_).push_back(tasks.front());
  tasks.pop_front();
  begin_task(index);
  begin_pin();
}

void ReplayedWorkers::begin_pin() {
  if (!pin_.runs && !to_pin_.empty()) pin_.begin(costs_.receive + costs_.pin);
}

void ReplayedWorkers::end_pin() {
  arrived_.push_back(to_pin_.front());
  to_pin_.pop_front();
  begin_pin();
}

}  // namespace feedrate
