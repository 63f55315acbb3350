// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/cell_monitor.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/clock.h"
#include "core/fork_mutex.h"

namespace feedrate {
namespace {

// Reading the PSS makes the kernel walk the page tables.
constexpr Nanos kMemoryPeriod = std::chrono::milliseconds(500);

}  // namespace

CellMonitor::CellMonitor(const MonitorOptions& options)
    : options_(options),
      reader_(options.dataset),
      host_pace_(options.period, kMostForSnapshots),
      process_pace_(options.period, kMostForProcesses),
      memory_pace_(kMemoryPeriod, kMostForMemory) {
  if (!options_.only_memory) record_.bounds = reader_.bounds();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  has_started_.wait();
}

void CellMonitor::begin_window() { inspect_window(record_.window_begin, record_.foreign_begin); }

void CellMonitor::end_window() {
  inspect_window(record_.window_end, record_.foreign_end);
  inspect_memory();
}

MonitorRecord CellMonitor::finish() {
  thread_.request_stop();
  thread_.join();
  inspect_memory();
  record_.seconds = now_seconds();
  return std::move(record_);
}

void CellMonitor::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  has_started_.count_down();
  while (!stop.stop_requested()) {
    const Nanos next = inspect_due();
    never.wait_for(lock, stop, std::max(Nanos(0), next - clock_.now()), [] { return false; });
  }
}

Nanos CellMonitor::inspect_due() {
  std::unique_lock lock(fork_mutex());
  if (memory_pace_.is_due(clock_.now())) {
    lock.unlock();
    inspect_memory();
    lock.lock();
  }
  const Nanos now = clock_.now();
  const auto timed = [&](Pace& pace, const auto& work) {
    if (!pace.is_due(now)) return;
    const double before = to_seconds(thread_cpu_time());
    work();
    const double cost = to_seconds(thread_cpu_time()) - before;
    record_.cpu_seconds += cost;
    pace.done(now, cost);
  };
  if (options_.only_memory) return memory_pace_.next();
  timed(process_pace_, [this] { reader_.find_processes(); });
  timed(host_pace_, [this] {
    HostSnapshot snapshot = reader_.read(now_seconds());
    record_.least_available = std::min(record_.least_available, snapshot.memory.available);
    add_snapshot(record_.host, std::move(snapshot));
  });
  return std::min({host_pace_.next(), process_pace_.next(), memory_pace_.next()});
}

void CellMonitor::inspect_window(std::optional<HostSnapshot>& host,
                                 std::optional<ForeignMark>& foreign) {
  if (options_.only_memory) return;
  const std::lock_guard lock(fork_mutex());
  const double before = to_seconds(thread_cpu_time());
  host = reader_.read(now_seconds());
  record_.least_available = std::min(record_.least_available, host->memory.available);
  if (!options_.shares_cpus) foreign = reader_.mark_foreign();
  record_.cpu_seconds += to_seconds(thread_cpu_time()) - before;
}

void CellMonitor::inspect_memory() {
  const double before = to_seconds(thread_cpu_time());
  const double at = now_seconds();
  const std::uint64_t pss = process_tree_pss(fork_mutex());
  const std::lock_guard lock(fork_mutex());
  record_.peak_pss = std::max(record_.peak_pss, pss);
  if (!options_.only_memory) add_snapshot(record_.memory, MemorySnapshot{at, pss});
  const double cost = to_seconds(thread_cpu_time()) - before;
  record_.cpu_seconds += cost;
  memory_pace_.done(clock_.now(), cost);
}

double CellMonitor::now_seconds() const { return to_seconds(clock_.now() - started_); }

}  // namespace feedrate
