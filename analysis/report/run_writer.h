// SPDX-License-Identifier: Apache-2.0
// Writes the folder of one run: cells.csv, run.json and table.md, ranks.csv if cells have several
// ranks, and run.journal and run.begun while the run is in progress. One thread.
#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "core/clock.h"
#include "core/host/folder_lock.h"
#include "core/result.h"

namespace feedrate {

/// The treatment of results that are in the folder already.
enum class EarlierRun { kRefuse, kReplace, kContinue };

class RunWriter {
 public:
  /// Creates the folder and the files, so that an unwritable folder is known before measuring, and
  /// locks out other writers. Throws ConfigError if that fails, and with kRefuse if the folder has
  /// results. Files of an earlier run are unchanged until write(). `clock` must outlive the writer.
  RunWriter(std::filesystem::path folder, const Clock& clock,
            EarlierRun earlier = EarlierRun::kRefuse);

  /// Replaces all files durably, one by one, and removes the recommendation.json of an earlier run.
  /// Throws SystemError naming the file, which then has the complete content of the last write.
  void write(const RunResult& run);

  /// Records durably that a start of `cell` is running, until record() or write(). Throws
  /// SystemError.
  void begin(const CellResult& cell);

  /// Index of the cell whose start was running, for each kill of a writer of this run since the
  /// last record().
  [[nodiscard]] const std::vector<std::size_t>& killed_in() const { return killed_in_; }
  void forget_kills() { killed_in_.clear(); }

  /// Makes the last start of `cell` durable: by write() if writing takes at most a hundredth of the
  /// time, else in the journal, which load_run() reads. `before_write` may update data of all cells
  /// before a write(). Throws SystemError.
  void record(
      const RunResult& run, const CellResult& cell,
      const std::function<void()>& before_write = [] {});

 private:
  void write_since(Nanos begin, const RunResult& run);
  void end_start();

  std::filesystem::path folder_;
  const Clock& clock_;
  FolderLock lock_;
  bool is_first_write_of_new_run_;
  std::vector<std::size_t> killed_in_;
  bool is_under_way_ = false;
  Nanos next_write_{};
  std::size_t warnings_written_ = 0;  // The journal has no warnings.
};

}  // namespace feedrate
