// SPDX-License-Identifier: Apache-2.0
// A text table for a terminal or Markdown. A value; one thread.
#pragma once
#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

enum class TableStyle { kTerminal, kMarkdown };

enum class Align { kLeft, kRight };

class TextTable {
 public:
  void add_column(std::string title, Align align);
  /// REQUIRES: as many cells as columns; all columns added before
  void add_row(std::vector<std::string> cells);
  void print(std::ostream& out, TableStyle style) const;
  /// Removes columns by their titles, in this order, until no terminal line is longer than `most`
  /// (0: any width). Returns the removed titles.
  std::vector<std::string> fit(std::size_t most, std::span<const std::string_view> unimportant);
  /// Breaks the texts of the widest left-aligned column at spaces into several rows, until no
  /// terminal line is longer than `most` (0: any width) or that column is 20 wide.
  void wrap(std::size_t most);

 private:
  struct Column {
    std::string title;
    Align align;
    std::size_t width;
  };

  void print_line(std::ostream& out, TableStyle style, const std::vector<std::string>& cells) const;
  void print_rule(std::ostream& out, TableStyle style) const;
  [[nodiscard]] std::size_t width() const;
  void wrap_column(std::size_t column, std::size_t width);
  bool take_out(std::string_view title);

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The number of code points: the width on a terminal, unless characters are wide or combining.
[[nodiscard]] std::size_t display_width(const std::string& text);

/// `text` on one line, without control characters; for Markdown, '|' is escaped.
[[nodiscard]] std::string one_line(const std::string& text, TableStyle style);

}  // namespace feedrate
