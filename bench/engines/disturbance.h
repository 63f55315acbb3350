// Background load on the dataset's storage while a cell is measured, as other jobs on a shared file
// system make it: processes that read large files and processes that stat, open and close small
// ones. What they did is counted over the measured window. One thread, which lives as long as they
// do.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/protocol.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/config.h"
#include "core/metric.h"
#include "loaders/processes/child_process.h"

namespace feedrate {

struct DisturbanceCounts;  // Shared with the processes.

struct DisturbanceSeen {
  double bytes_per_second = 0.0;
  double metadata_per_second = 0.0;  ///< files looked up, opened and closed
  bool is_cached = false;            ///< a reader had to go through the page cache
};

/// Makes what is missing below the folder: a file a reader, and a tree of small files. They stay
/// for the next sweep and may be deleted at any time. Throws SystemError, Cancelled; a file that
/// could not be made whole is removed.
void make_disturbance_files(const DisturbanceSpec& spec, const DisturbancePlace& place,
                            const std::stop_token& stop);

/// As docs/columns.md has them.
[[nodiscard]] std::vector<Metric> disturbance_metrics(const DisturbanceSeen& seen);
/// Why it may have disturbed less than it says; empty where it has not.
[[nodiscard]] std::string doubt_about(const DisturbanceSeen& seen);

class Disturbance {
 public:
  /// Starts the processes. REQUIRES: make_disturbance_files() was called
  Disturbance(const DisturbanceSpec& spec, const DisturbancePlace& place);
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;
  /// Ends them.
  ~Disturbance();

  /// Its processes, which are this process's children.
  [[nodiscard]] std::vector<pid_t> processes() const;

  /// The same events, which begin and end the window here, too. They refer to this.
  [[nodiscard]] ProtocolEvents around(ProtocolEvents events);
  void begin_window();
  void end_window();

  /// REQUIRES: the window has begun and ended. Throws Error if one of the processes ended by
  /// itself.
  [[nodiscard]] DisturbanceSeen seen();

 private:
  struct Mark {
    std::uint64_t bytes = 0;
    std::uint64_t opened = 0;
    std::chrono::steady_clock::time_point at;
  };
  [[nodiscard]] Mark mark() const;

  std::filesystem::path folder_;
  std::shared_ptr<DisturbanceCounts> counts_;
  std::vector<std::unique_ptr<ChildProcess>> processes_;
  Mark begin_;
  Mark end_;
};

}  // namespace feedrate
