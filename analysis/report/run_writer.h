// SPDX-License-Identifier: Apache-2.0
// The folder of one run: cells.csv, run.json and table.md, ranks.csv where cells have several
// ranks, and run.journal and run.begun while the run goes on. One thread.
#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "core/clock.h"
#include "core/host/folder_lock.h"
#include "core/result.h"

namespace feedrate {

/// What becomes of results that are in the folder already.
enum class EarlierRun { kRefuse, kReplace, kContinue };

class RunWriter {
 public:
  /// Creates the folder and the files, so that what cannot be written is known before anything is
  /// measured, and keeps other writers out: ConfigError. With kRefuse, the same where the folder
  /// holds results. Files of an earlier run stay as they are until write(). `clock` outlives the
  /// writer.
  RunWriter(std::filesystem::path folder, const Clock& clock,
            EarlierRun earlier = EarlierRun::kRefuse);

  /// Replaces them all durably, one after the other, and removes the recommendation.json of an
  /// earlier run. Throws SystemError naming the file; that file is then still the complete one of
  /// the last write.
  void write(const RunResult& run);

  /// Notes durably that a start of `cell` is under way, until record() or write(). Throws
  /// SystemError.
  void begin(const CellResult& cell);

  /// Index of the cell whose start was under way each time that a writer of this run was killed,
  /// since record() was last called.
  [[nodiscard]] const std::vector<std::size_t>& killed_in() const { return killed_in_; }
  void forget_kills() { killed_in_.clear(); }

  /// Makes the last start of `cell` durable: by write() where that takes a hundredth of the time at
  /// most, else in the journal, from which load_run() adds it. `before_write` may bring up to date
  /// what the files say of all cells. Throws SystemError.
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
  std::size_t warnings_written_ = 0;  // The journal has none.
};

}  // namespace feedrate
