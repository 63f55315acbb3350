// SPDX-License-Identifier: Apache-2.0
// run.journal: the starts measured since run.json was last written, one per line, since a large
// run.json cannot be rewritten after each start. It exists while a sweep runs, and after a kill.
// One writer; readers at any time.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

inline constexpr const char* kJournalFile = "run.journal";

/// run.begun: the cell whose start is running, after the cells of starts during which feedrate was
/// killed: one number per line.
inline constexpr const char* kBegunFile = "run.begun";

/// Durable on return. Throws SystemError.
void write_begun(const std::filesystem::path& file, const std::vector<std::size_t>& cells);

/// Empty without a file. Throws SystemError, FormatError.
[[nodiscard]] std::vector<std::size_t> read_begun(const std::filesystem::path& file);

/// Adds the last start of `cell`; durable on return. Throws SystemError.
void append_to_journal(const std::filesystem::path& journal, const CellResult& cell);

/// The content of a journal at one moment. Take it before reading run.json: the writer clears it
/// after writing run.json, and starts in both are added once.
class JournalSnapshot {
 public:
  /// Empty without a journal. Throws SystemError.
  explicit JournalSnapshot(const std::filesystem::path& journal);

  [[nodiscard]] bool is_empty() const { return text_.empty(); }

  /// Skips a line truncated by a kill. Throws FormatError (file and line).
  void add_to(RunResult& run) const;

 private:
  std::string file_;
  std::string text_;
};

}  // namespace feedrate
