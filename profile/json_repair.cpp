#include "profile/json_repair.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace feedrate {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::string_view text, std::size_t from) {
  std::size_t count = 0;
  while (from + count < text.size() && is_digit(text[from + count])) ++count;
  return count;
}

// -12.5e+3, as JSON wants it.
bool is_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = count_digits(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = count_digits(text, at + 1);
    if (fraction == 0) return false;
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = count_digits(text, at);
    if (exponent == 0) return false;
    at += exponent;
  }
  return at == text.size();
}

struct Utf8Range {
  unsigned char first_low, first_high;    // Of the first byte …
  unsigned char second_low, second_high;  // … and of the second one; others are 80 to BF.
  std::size_t length;
};

// Table 3-7 of the Unicode standard, without ASCII.
constexpr std::array<Utf8Range, 8> kUtf8{{{0xC2, 0xDF, 0x80, 0xBF, 2},
                                          {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                          {0xE1, 0xEC, 0x80, 0xBF, 3},
                                          {0xED, 0xED, 0x80, 0x9F, 3},
                                          {0xEE, 0xEF, 0x80, 0xBF, 3},
                                          {0xF0, 0xF0, 0x90, 0xBF, 4},
                                          {0xF1, 0xF3, 0x80, 0xBF, 4},
                                          {0xF4, 0xF4, 0x80, 0x8F, 4}}};

// Of the character at the start of `text`; 0: it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (const Utf8Range& range : kUtf8) {
    if (byte(0) < range.first_low || byte(0) > range.first_high) continue;
    if (text.size() < range.length) return 0;
    if (byte(1) < range.second_low || byte(1) > range.second_high) return 0;
    for (std::size_t at = 2; at < range.length; ++at) {
      if (byte(at) < 0x80 || byte(at) > 0xBF) return 0;
    }
    return range.length;
  }
  return 0;
}

class Repair {
 public:
  explicit Repair(std::string_view text) : text_(text) { out_.reserve(text.size() + 64); }

  std::string run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        copy_text();
      } else if (std::string_view("{}[],:").find(c) != std::string_view::npos) {
        copy_mark(c);
      } else if (kBlanks.find(c) != std::string_view::npos) {
        ++at_;
      } else {
        copy_word();
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] char last() const { return out_.empty() ? '\0' : out_.back(); }

  void copy_mark(char c) {
    ++at_;
    if (last() == ':' && c != '{' && c != '[') out_ += "null";
    const bool is_comma_wanted = last() != ',' && last() != '{' && last() != '[';
    if (c == ',' && !is_comma_wanted) return;
    if ((c == '}' || c == ']') && last() == ',') out_.pop_back();
    out_ += c;
  }

  // Up to what separates: "N/A of 3" is one word.
  void copy_word() {
    const std::size_t end = std::min(text_.find_first_of("{}[],:\"", at_), text_.size());
    std::string_view word = text_.substr(at_, end - at_);
    word = word.substr(0, word.find_last_not_of(kBlanks) + 1);
    const bool is_known = word == "true" || word == "false" || is_number(word);
    out_ += is_known ? word : "null";
    at_ = end;
  }

  void copy_text() {
    out_ += '"';
    ++at_;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"' && ends_text()) break;
      if (c == '"') {
        out_ += "\\\"";
        ++at_;
      } else if (c == '\\') {
        copy_escape();
      } else if (c < 0x80) {
        out_ += c < 0x20 ? ' ' : text_[at_];
        ++at_;
      } else {
        copy_character();
      }
    }
    out_ += '"';
    ++at_;
  }

  // The rule by which JsonSplitter finds the end of a text.
  [[nodiscard]] bool ends_text() const {
    const std::size_t after = text_.find_first_not_of(kBlanks, at_ + 1);
    return after == std::string_view::npos ||
           std::string_view(",:}]").find(text_[after]) != std::string_view::npos;
  }

  void copy_escape() {
    const std::string_view escape = text_.substr(at_, is_unicode_escape() ? 6 : 2);
    const bool is_known = escape.size() == 6 ||
                          (escape.size() == 2 && std::string_view("\"\\/bfnrt").find(escape[1]) !=
                                                     std::string_view::npos);
    out_ += is_known ? escape : "\\\\";
    at_ += is_known ? escape.size() : 1;
  }

  [[nodiscard]] bool is_unicode_escape() const {
    const std::string_view escape = text_.substr(at_, 6);
    return escape.size() == 6 && escape[1] == 'u' &&
           escape.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
  }

  void copy_character() {
    const std::size_t length = utf8_length(text_.substr(at_));
    out_ += length > 0 ? text_.substr(at_, length) : "?";
    at_ += std::max<std::size_t>(length, 1);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string repaired_json(std::string_view text) { return Repair(text).run(); }

}  // namespace feedrate
