// SPDX-License-Identifier: Apache-2.0
// Edits of a text, and the lines that they change. Pure; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace feedrate {

/// Bytes of a text and their replacement.
struct TextEdit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

/// Consecutive lines before and after, both without the last line end.
struct ChangedLines {
  std::size_t line = 0;  ///< of the first one; 0: the first line of the text
  std::string before;
  std::optional<std::string> after;  ///< nothing: the lines are removed
};

[[nodiscard]] std::size_t begin_of_line(const std::string& text, std::size_t at);
/// The offset of its line end.
[[nodiscard]] std::size_t end_of_line(const std::string& text, std::size_t at);

/// REQUIRES: `edits` are sorted and do not overlap
[[nodiscard]] std::string apply_edits(const std::string& text, const std::vector<TextEdit>& edits);

/// Edits that share a line make one ChangedLines. REQUIRES: as apply_edits()
[[nodiscard]] std::vector<ChangedLines> changed_lines(const std::string& text,
                                                      const std::vector<TextEdit>& edits);

}  // namespace feedrate
