// SPDX-License-Identifier: Apache-2.0
// Samples the machine while a cell runs: processors, processes, memory, page cache, the dataset's
// disk and the network at most ten times a second; the memory of the process tree at most twice a
// second; foreign load at both ends of the window. It samples on its own thread, counts the CPU
// time of that thread and samples less often if the time exceeds its bound.
#pragma once
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <latch>
#include <stop_token>
#include <thread>

#include "bench/engines/host_reader.h"
#include "bench/engines/monitor_record.h"
#include "core/clock.h"

namespace feedrate {

struct MonitorOptions {
  bool only_memory = false;            ///< samples the peak memory alone
  std::filesystem::path dataset = {};  ///< any path of it
  bool shares_cpus = false;  ///< other ranks of the job use the same CPUs: foreign load is unknown
  Nanos period = std::chrono::milliseconds(100);
};

/// Each kind of sample may cost this share of one CPU, 1 % together; beyond, its period grows.
inline constexpr double kMostForSnapshots = 0.003;
inline constexpr double kMostForProcesses = 0.003;
inline constexpr double kMostForMemory = 0.004;

/// Tells when a periodic task is due: after its period, or later if it costs more than its share.
class Pace {
 public:
  Pace(Nanos period, double most) : period_(period), most_(most) {}
  [[nodiscard]] bool is_due(Nanos now) const noexcept { return now >= next_; }
  [[nodiscard]] Nanos next() const noexcept { return next_; }
  void done(Nanos now, double cpu_seconds) {
    next_ = now + std::max(period_, from_seconds(cpu_seconds / most_));
  }

 private:
  Nanos period_;
  double most_;
  Nanos next_{};
};

/// fork_mutex() guards all members but the thread. Sampling holds it, because a mutex that another
/// thread holds at a fork stays locked in the child.
class CellMonitor {
 public:
  explicit CellMonitor(const MonitorOptions& options);

  /// Samples the machine now. Any thread may call it, before finish().
  void begin_window();
  /// Samples the machine and memory, since processes may end soon. Any thread, before finish().
  void end_window();
  /// Samples memory once more and joins the thread. May be called once.
  [[nodiscard]] MonitorRecord finish();

 private:
  void run(const std::stop_token& stop);
  Nanos inspect_due();
  void inspect_window(std::optional<HostSnapshot>& host, std::optional<ForeignMark>& foreign);
  void inspect_memory();
  [[nodiscard]] double now_seconds() const;

  const MonitorOptions options_;
  SteadyClock clock_;
  const Nanos started_ = clock_.now();
  HostReader reader_;
  MonitorRecord record_;
  Pace host_pace_;
  Pace process_pace_;
  Pace memory_pace_;
  std::latch has_started_{1};  // See fork_mutex(): no fork may happen while a thread starts.
  std::jthread thread_;        // Declared last, so that it is joined before the rest is destroyed.
};

}  // namespace feedrate
