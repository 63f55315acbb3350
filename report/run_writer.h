// The folder of one run: cells.csv, run.json and table.md. One thread.
#pragma once
#include <filesystem>

#include "report/result.h"

namespace feedrate {

class RunWriter {
 public:
  /// Creates the folder and the files, so that what cannot be written is known before anything is
  /// measured: ConfigError. Files of an earlier run stay as they are until write().
  explicit RunWriter(std::filesystem::path folder);

  /// Replaces all three durably, one after the other. Throws SystemError naming the file; that file
  /// is then still the complete one of the last write.
  void write(const RunResult& run) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace feedrate
