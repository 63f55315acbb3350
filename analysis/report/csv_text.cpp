// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/csv_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

// Whether a spreadsheet would execute it (OWASP, "CSV injection").
bool is_formula(std::string_view field) {
  constexpr std::string_view kBegins = "=+-@\t\r";
  return !field.empty() && kBegins.find(field.front()) != std::string_view::npos &&
         !parse_number<double>(field);
}

std::string_view without_apostrophes(std::string_view field) {
  field.remove_prefix(std::min(field.find_first_not_of('\''), field.size()));
  return field;
}

// An apostrophe before a formula makes it text. Existing apostrophes get one more, so that each
// text is read back unchanged.
std::string escaped(const std::string& field) {
  return is_formula(without_apostrophes(field)) ? '\'' + field : field;
}

std::string unescaped(std::string field) {
  if (field.starts_with('\'') && is_formula(without_apostrophes(field))) field.erase(0, 1);
  return field;
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

bool is_whole(Unit unit) { return unit == Unit::kCount || unit == Unit::kVerdict; }

class CsvParser {
 public:
  CsvParser(const std::string& file, std::string_view text) : file_(file), text_(text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // Excel's "CSV UTF-8".
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  std::vector<CsvRecord> parse() {
    std::vector<CsvRecord> records;
    while (at_ < text_.size()) {
      CsvRecord record = read_record();
      const bool is_empty_line = record.fields.size() == 1 && record.fields.front().empty();
      if (!is_empty_line) records.push_back(std::move(record));
    }
    return records;
  }

 private:
  CsvRecord read_record() {
    CsvRecord record;
    record.line = line_;
    do {
      record.fields.push_back(unescaped(peek() == '"' ? read_quoted() : read_plain()));
    } while (take(','));
    end_line();
    return record;
  }

  std::string read_plain() {
    const std::size_t end = std::min(text_.find_first_of(",\"\r\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    if (peek() == '"') fail("a quote inside an unquoted field");
    return field;
  }

  std::string read_quoted() {
    const std::size_t opened_on = line_;
    std::string field;
    ++at_;
    while (true) {
      if (at_ >= text_.size()) {
        throw FormatError(fmt::format("{}: line {}: the quote is never closed", file_, opened_on));
      }
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (c == '"' && !take('"')) return field;
      field += c;
    }
  }

  void end_line() {
    if (at_ >= text_.size()) return;
    take('\r');
    if (!take('\n')) fail("a field must end with a comma or a line end");
    ++line_;
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw FormatError(fmt::format("{}: line {}: {}", file_, line_, problem));
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::string csv_number(double value, Unit unit) {
  if (!std::isfinite(value)) return {};
  std::string text = fmt::format("{}", value);
  if (!is_whole(unit) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    line += quoted(escaped(field));
  }
  return line + '\n';
}

std::vector<CsvRecord> parse_csv(const std::string& file, std::string_view text) {
  return CsvParser(file, text).parse();
}

}  // namespace feedrate
