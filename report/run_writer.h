// The folder of one run: cells.csv, run.json and table.md, ranks.csv where cells have several
// ranks, and run.journal while the run goes on. One thread.
#pragma once
#include <filesystem>
#include <functional>

#include "core/clock.h"
#include "report/folder_lock.h"
#include "report/result.h"

namespace feedrate {

/// What becomes of a run that is in the folder already.
enum class EarlierRun { kReplace, kContinue };

class RunWriter {
 public:
  /// Creates the folder and the files, so that what cannot be written is known before anything is
  /// measured, and keeps other writers out: ConfigError. Files of an earlier run stay as they are
  /// until write(). `clock` outlives the writer.
  RunWriter(std::filesystem::path folder, const Clock& clock,
            EarlierRun earlier = EarlierRun::kReplace);

  /// Replaces them all durably, one after the other, and removes the recommendation.json of an
  /// earlier run. Throws SystemError naming the file; that file is then still the complete one of
  /// the last write.
  void write(const RunResult& run);

  /// Makes the last start of `cell` durable: by write() where that takes a hundredth of the time at
  /// most, else in the journal, from which load_run() adds it. `before_write` may bring up to date
  /// what the files say of all cells. Throws SystemError.
  void record(
      const RunResult& run, const CellResult& cell,
      const std::function<void()>& before_write = [] {});

 private:
  void write_since(Nanos begin, const RunResult& run);

  std::filesystem::path folder_;
  const Clock& clock_;
  FolderLock lock_;
  bool has_foreign_journal_;
  Nanos next_write_{};
  std::size_t doubts_written_ = 0;  // The journal has none.
};

}  // namespace feedrate
