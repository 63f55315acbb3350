// SPDX-License-Identifier: Apache-2.0
// A table of text cells, aligned for a terminal or as Markdown. A value; one thread.
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
  /// Takes columns out, by their titles and in this order, until no line on a terminal is longer
  /// than `most`, where 0 is any width; returns the titles of those that it took out.
  std::vector<std::string> fit(std::size_t most, std::span<const std::string_view> unimportant);
  /// Breaks the texts of the widest left-aligned column at spaces, over rows of their own, until no
  /// line on a terminal is longer than `most`, where 0 is any width; or that column is 20 wide.
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

/// Code points of UTF-8 text: what a terminal shows, as long as nothing is wide or combining.
[[nodiscard]] std::size_t display_width(const std::string& text);

/// On one line, without control characters, and for Markdown with '|' escaped.
[[nodiscard]] std::string one_line(const std::string& text, TableStyle style);

}  // namespace feedrate
