// SPDX-License-Identifier: Apache-2.0
// Edits of a text, and the lines that they change. Pure; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace feedrate {

/// Bytes of a text, and what stands in their place.
struct TextEdit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

/// A run of lines before and after; both without their last line end.
struct ChangedLines {
  std::size_t line = 0;  ///< of the first one; 0 is that of the text
  std::string before;
  std::optional<std::string> after;  ///< nothing: the lines go
};

[[nodiscard]] std::size_t begin_of_line(const std::string& text, std::size_t at);
/// Where its line end stands.
[[nodiscard]] std::size_t end_of_line(const std::string& text, std::size_t at);

/// REQUIRES: `edits` stand in the order of the text, and none overlaps another
[[nodiscard]] std::string apply_edits(const std::string& text, const std::vector<TextEdit>& edits);

/// Edits that share a line are one run of lines. REQUIRES: as apply_edits()
[[nodiscard]] std::vector<ChangedLines> changed_lines(const std::string& text,
                                                      const std::vector<TextEdit>& edits);

}  // namespace feedrate
