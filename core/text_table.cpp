// SPDX-License-Identifier: Apache-2.0
#include "core/text_table.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/printable.h"
#include "core/utf8.h"

namespace feedrate {
namespace {

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t has = display_width(text);
  const std::string gap(width > has ? width - has : 0, ' ');
  return align == Align::kRight ? gap + text : text + gap;
}

// Returns at least one line; a word wider than `room` stays whole.
std::vector<std::string> broken_at_spaces(const std::string& text, std::size_t room) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (lines.back().empty()) {
      lines.back() = word;
    } else if (display_width(lines.back()) + 1 + display_width(word) <= room) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    const bool is_continuation = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    return !is_continuation;
  }));
}

std::string one_line(const std::string& text, TableStyle style) {
  std::string line;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t size = std::max<std::size_t>(utf8_length(rest), 1);
    const std::string_view character = rest.substr(0, size);
    if (character == "|" && style == TableStyle::kMarkdown) line += '\\';
    line += is_control(character) ? " " : character;
    rest.remove_prefix(size);
  }
  return line;
}

void TextTable::add_column(std::string title, Align align) {
  const std::size_t width = display_width(title);
  columns_.push_back({std::move(title), align, width});
}

void TextTable::add_row(std::vector<std::string> cells) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].width = std::max(columns_[i].width, display_width(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

void TextTable::print(std::ostream& out, TableStyle style) const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  print_line(out, style, titles);
  print_rule(out, style);
  for (const std::vector<std::string>& row : rows_) print_line(out, style, row);
}

std::vector<std::string> TextTable::fit(std::size_t most,
                                        std::span<const std::string_view> unimportant) {
  std::vector<std::string> taken;
  for (const std::string_view title : unimportant) {
    if (most == 0 || width() <= most) break;
    if (take_out(title)) taken.emplace_back(title);
  }
  return taken;
}

void TextTable::wrap(std::size_t most) {
  constexpr std::size_t kNarrowest = 20;
  if (most == 0 || width() <= most) return;
  std::optional<std::size_t> widest;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].align != Align::kLeft) continue;
    if (!widest || columns_[i].width > columns_[*widest].width) widest = i;
  }
  if (!widest) return;
  const std::size_t others = width() - columns_[*widest].width;
  wrap_column(*widest, std::max(kNarrowest, most - std::min(most, others)));
}

void TextTable::wrap_column(std::size_t column, std::size_t width) {
  std::vector<std::vector<std::string>> rows = std::exchange(rows_, {});
  columns_[column].width = display_width(columns_[column].title);
  for (std::vector<std::string>& row : rows) {
    for (std::string& line : broken_at_spaces(row[column], width)) {
      row[column] = std::move(line);
      add_row(row);
      std::fill(row.begin(), row.end(), "");
    }
  }
}

bool TextTable::take_out(std::string_view title) {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& column) { return column.title == title; });
  if (found == columns_.end()) return false;
  const auto place = found - columns_.begin();
  columns_.erase(found);
  for (std::vector<std::string>& row : rows_) row.erase(row.begin() + place);
  return true;
}

std::size_t TextTable::width() const {
  std::size_t width = 0;
  for (const Column& column : columns_) width += column.width + (width == 0 ? 0 : 2);
  return width;
}

void TextTable::print_line(std::ostream& out, TableStyle style,
                           const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string cell =
        padded(one_line(cells[i], style), columns_[i].width, columns_[i].align);
    line += style == TableStyle::kMarkdown ? "| " + cell + " " : (i == 0 ? "" : "  ") + cell;
  }
  if (style == TableStyle::kMarkdown) line += "|";
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

void TextTable::print_rule(std::ostream& out, TableStyle style) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::string dashes(columns_[i].width, '-');
    if (style == TableStyle::kTerminal) {
      line += (i == 0 ? "" : "  ") + dashes;
    } else {
      const bool is_right = columns_[i].align == Align::kRight;
      line += "|" + std::string(is_right ? "-" : ":") + dashes + (is_right ? ":" : "-");
    }
  }
  out << line << (style == TableStyle::kMarkdown ? "|\n" : "\n");
}

}  // namespace feedrate
