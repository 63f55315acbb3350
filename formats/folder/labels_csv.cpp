// SPDX-License-Identifier: Apache-2.0
#include "formats/folder/labels_csv.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parse_number.h"
#include "formats/keys.h"
#include "formats/record.h"

namespace feedrate {
namespace {

using Fields = std::vector<std::string>;

struct Row {
  std::string filename;
  std::string label;
  std::size_t line;
};

[[noreturn]] void fail_in_line(const std::string& path, std::size_t line,
                               std::string_view problem) {
  throw FormatError({.file = path}, fmt::format("line {}: {}", line, problem));
}

/// Splits RFC 4180 text into records. A lone CR or LF also ends a line; a byte order mark is
/// skipped.
class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& path) : rest_(text), path_(path) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  /// The first line of the last record.
  [[nodiscard]] std::size_t line() const { return line_; }

  [[nodiscard]] std::optional<Fields> next() {
    while (!rest_.empty()) {
      line_ = next_line_;
      Fields fields{field()};
      while (take(',')) fields.push_back(field());
      end_of_line();
      if (fields.size() > 1 || !fields.front().empty()) return fields;
    }
    return std::nullopt;
  }

 private:
  std::string field() { return take('"') ? quoted() : plain(); }

  std::string plain() {
    const std::size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return text;
  }

  std::string quoted() {
    std::string text;
    for (;;) {
      const std::size_t end = rest_.find('"');
      if (end == std::string_view::npos) fail_in_line(path_, line_, "a quote is never closed");
      text += rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (!take('"')) break;
      text += '"';
    }
    next_line_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    return text;
  }

  void end_of_line() {
    const bool carriage_return = take('\r');
    if (take('\n') || carriage_return) {
      ++next_line_;
    } else if (!rest_.empty()) {
      fail_in_line(path_, line_, "text after a closing quote; must be a comma or a new line");
    }
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
  const std::string& path_;
  std::size_t line_ = 1;
  std::size_t next_line_ = 1;
};

std::size_t column(const Fields& header, std::string_view name, const std::string& path) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    fail_in_line(path, 1,
                 fmt::format("no column \"{}\"; the first line must be: filename,label", name));
  }
  return static_cast<std::size_t>(found - header.begin());
}

std::vector<Row> parse_rows(std::string_view text, const std::string& path) {
  CsvParser parser(text, path);
  const Fields header = parser.next().value_or(Fields{});
  const std::size_t filename = column(header, "filename", path);
  const std::size_t label = column(header, "label", path);
  std::vector<Row> rows;
  while (auto fields = parser.next()) {
    if (fields->size() != header.size()) {
      fail_in_line(
          path, parser.line(),
          fmt::format("{} fields, but the first line names {}", fields->size(), header.size()));
    }
    rows.push_back({std::move((*fields)[filename]), (*fields)[label], parser.line()});
  }
  return rows;
}

void check_filenames(const std::vector<Row>& rows, const std::string& path) {
  std::unordered_set<std::string_view> seen;
  for (const Row& row : rows) {
    if (!is_safe_relative_path(row.filename)) {
      fail_in_line(path, row.line,
                   fmt::format("filename \"{}\" is rejected; must be relative to the folder and "
                               "stay inside it, without empty parts, \".\" and \"..\"",
                               row.filename));
    }
    if (!seen.insert(row.filename).second) {
      fail_in_line(path, row.line, fmt::format("filename \"{}\" is listed twice", row.filename));
    }
  }
}

bool labels_are_numbers(const std::vector<Row>& rows, const std::string& path) {
  const Row* number = nullptr;
  const Row* name = nullptr;
  for (const Row& row : rows) {
    if (!row.label.empty()) (parse_number<std::int64_t>(row.label) ? number : name) = &row;
  }
  if (number != nullptr && name != nullptr) {
    fail_in_line(path, name->line,
                 fmt::format("label \"{}\" is a name, but the label of line {} is the number {}; "
                             "use either names or numbers",
                             name->label, number->line, number->label));
  }
  return name == nullptr;
}

std::vector<std::string> sorted_names(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (!row.label.empty()) names.push_back(row.label);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::int64_t index_of(const Row& row, const std::vector<std::string>& names,
                      const std::string& path) {
  const auto found = std::find(names.begin(), names.end(), row.label);
  if (found == names.end()) {
    fail_in_line(path, row.line,
                 fmt::format("label \"{}\" is not a name in classes.txt", row.label));
  }
  return found - names.begin();
}

std::string quote(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace

LabelsCsv parse_labels_csv(std::string_view text, std::vector<std::string> class_names,
                           const std::string& path) {
  const std::vector<Row> rows = parse_rows(text, path);
  check_filenames(rows, path);
  const bool numbers = labels_are_numbers(rows, path);
  LabelsCsv csv{.files = {}, .class_names = std::move(class_names)};
  if (!numbers && csv.class_names.empty()) csv.class_names = sorted_names(rows);
  csv.files.reserve(rows.size());
  for (const Row& row : rows) {
    const std::int64_t label = row.label.empty() ? kNoLabel
                               : numbers         ? *parse_number<std::int64_t>(row.label)
                                                 : index_of(row, csv.class_names, path);
    csv.files.push_back({row.filename, label});
  }
  return csv;
}

std::string format_labels_csv(const std::vector<LabelledFile>& files) {
  std::string text = "filename,label\n";
  for (const LabelledFile& file : files) {
    text += quote(file.filename) + ',';
    if (file.label != kNoLabel) text += std::to_string(file.label);
    text += '\n';
  }
  return text;
}

}  // namespace feedrate
