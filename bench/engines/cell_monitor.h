// SPDX-License-Identifier: Apache-2.0
// Watches the machine while a cell runs: its processors and processes, memory, page cache, the
// dataset's disk and the network, ten times a second at most; memory of the process tree twice a
// second at most; what others take, at both ends of the window. On a thread of its own, whose cost
// it counts and bounds: what takes long is done more rarely.
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
  bool only_memory = false;            ///< nothing but the peak
  std::filesystem::path dataset = {};  ///< any path of it
  bool shares_cpus = false;  ///< with other ranks of the job: what others take cannot be told
  Nanos period = std::chrono::milliseconds(100);
};

/// What it costs at most, as a share of one CPU, 1 % together; then the period grows.
inline constexpr double kMostForLooks = 0.003;
inline constexpr double kMostForProcesses = 0.003;
inline constexpr double kMostForMemory = 0.004;

/// Something done once in a while: after its period, or later if it costs more than its share.
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

/// Its members but the thread are guarded by fork_mutex(), which looks hold: what another thread
/// has locked at a fork would stay locked in the child.
class CellMonitor {
 public:
  explicit CellMonitor(const MonitorOptions& options);

  /// Takes a look at once. Any thread, before finish().
  void begin_window();
  /// The same, and one at the memory, since processes may be gone soon.
  void end_window();
  /// Takes a last look and ends. Once.
  [[nodiscard]] MonitorRecord finish();

 private:
  void run(const std::stop_token& stop);
  Nanos inspect_due();
  void inspect_window(std::optional<HostLook>& host, std::optional<ForeignMark>& foreign);
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
  std::latch is_at_rest_{1};  // See fork_mutex(): a thread that starts must not meet a fork.
  std::jthread thread_;       // Last: joined before the rest dies.
};

}  // namespace feedrate
