// SPDX-License-Identifier: Apache-2.0
// run.journal: the starts that were measured since run.json was last written, one a line. A sweep
// of a thousand cells cannot rewrite all of run.json after each of them. It is there only while a
// sweep runs, and after one that was killed. One writer; readers at any time.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

inline constexpr const char* kJournalFile = "run.journal";

/// run.begun: in which cell a start is under way, behind those that were when feedrate was killed:
/// a number a line.
inline constexpr const char* kBegunFile = "run.begun";

/// Durable on return. Throws SystemError.
void write_begun(const std::filesystem::path& file, const std::vector<std::size_t>& cells);

/// Empty where there is none. Throws SystemError, FormatError.
[[nodiscard]] std::vector<std::size_t> read_begun(const std::filesystem::path& file);

/// Adds the last start of `cell`; durable on return. Throws SystemError.
void append_to_journal(const std::filesystem::path& journal, const CellResult& cell);

/// What a journal held at one moment. Take it before run.json is read: the writer clears it after
/// run.json is written, and what is in both is not added twice.
class JournalSnapshot {
 public:
  /// Empty where there is no journal. Throws SystemError.
  explicit JournalSnapshot(const std::filesystem::path& journal);

  [[nodiscard]] bool is_empty() const { return text_.empty(); }

  /// The line that a kill cut off is left out. Throws FormatError (file and line).
  void add_to(RunResult& run) const;

 private:
  std::string file_;
  std::string text_;
};

}  // namespace feedrate
