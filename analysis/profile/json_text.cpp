// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/json_text.h"

#include <algorithm>
#include <array>

#include "core/utf8.h"

namespace feedrate {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kLongestText = std::size_t{4} << 20;
constexpr std::size_t kLongestWord = 400;
constexpr std::size_t kLongestPiece = std::size_t{64} << 10;
// Lookahead, in bytes: blanks after a quote.
constexpr std::size_t kAhead = 256;

constexpr bool is_blank(unsigned char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool is_bracket(unsigned char c) { return c == '{' || c == '}' || c == '[' || c == ']'; }
constexpr bool is_plain_text(unsigned char c) {
  return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}
constexpr bool is_in_word(unsigned char c) {
  return !is_bracket(c) && c != ',' && c != ':' && c != '"' && c != '\0';
}

// A lookup table, because every byte of a trace is tested.
class ByteSet {
 public:
  constexpr explicit ByteSet(bool (*is_in)(unsigned char)) {
    for (std::size_t i = 0; i < is_in_.size(); ++i)
      is_in_[i] = is_in(static_cast<unsigned char>(i));
  }
  [[nodiscard]] bool has(char c) const { return is_in_[static_cast<unsigned char>(c)]; }
  [[nodiscard]] std::size_t count(std::string_view text) const {
    const auto end = std::find_if_not(text.begin(), text.end(), [&](char c) { return has(c); });
    return static_cast<std::size_t>(end - text.begin());
  }

 private:
  std::array<bool, 256> is_in_{};
};

constexpr ByteSet kBlanks(is_blank);
constexpr ByteSet kPlainText(is_plain_text);
constexpr ByteSet kWordBytes(is_in_word);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The parser rejects malformed numbers.
bool is_json_word(std::string_view word) {
  if (word == "true" || word == "false" || word == "null") return true;
  if (word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && is_digit(word.front());
}

// A quote ends a text only before a mark, since old profilers did not escape names.
bool is_before_mark(std::string_view text) {
  text.remove_prefix(kBlanks.count(text));
  if (text.empty()) return true;
  const char next = text.front();
  return next == ',' || next == ':' || next == '}' || next == ']';
}

// Includes the backslash; 0 if JSON has no such escape.
std::size_t escape_length(std::string_view text) {
  const char kind = text.size() > 1 ? text[1] : '\0';
  if (std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos) return 2;
  const std::string_view digits = text.substr(std::min<std::size_t>(2, text.size())).substr(0, 4);
  const bool is_code = kind == 'u' && digits.size() == 4 &&
                       digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  return is_code ? 6 : 0;
}

}  // namespace

std::string_view JsonText::next() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  out_.clear();
  while (out_.size() < kLongestPiece && look_ahead()) {
    if (offset() == 0 && rest().starts_with(kByteOrderMark)) {
      start_ += kByteOrderMark.size();
    } else if (in_text_) {
      copy_text();
    } else if (kWordBytes.has(buffer_[start_])) {
      take_word();
    } else {
      const char mark = buffer_[start_++];
      copy_mark(mark);
      if (is_bracket(static_cast<unsigned char>(mark))) break;
    }
  }
  return out_;
}

// Returns false at the end. Otherwise the buffer has kAhead bytes or all the rest.
bool JsonText::look_ahead() {
  if (text_length_ > kLongestText) return false;
  if (buffer_.size() - start_ < kAhead) fill();
  is_at_end_ = start_ == buffer_.size() || buffer_[start_] == '\0';
  return !is_at_end_;
}

void JsonText::fill() {
  while (!is_read_ && buffer_.size() - start_ < kAhead) {
    buffer_.erase(0, start_);
    start_ = 0;
    const std::size_t old = buffer_.size();
    buffer_.resize(old + kChunk);
    const std::size_t count = input_.read({buffer_.data() + old, kChunk});
    buffer_.resize(old + count);
    read_ += count;
    is_read_ = count == 0;
  }
}

void JsonText::copy_text() {
  const std::string_view text = rest();
  const std::size_t length = kPlainText.count(text);
  out_ += text.substr(0, length);
  start_ += length;
  text_length_ += length + 1;
  if (length > 0) return;
  const auto c = static_cast<unsigned char>(text.front());
  if (c == '"') {
    end_text();
  } else if (c == '\\') {
    copy_escape();
  } else if (c < 0x80) {
    repair(" ", 1);
  } else {
    copy_character();
  }
}

void JsonText::end_text() {
  if (!is_before_mark(rest().substr(1))) return repair("\\\"", 1);
  out_ += '"';
  ++start_;
  in_text_ = false;
  text_length_ = 0;
}

void JsonText::copy_escape() {
  const std::size_t length = escape_length(rest());
  if (length == 0) return repair("\\\\", 1);
  out_ += rest().substr(0, length);
  start_ += length;
}

void JsonText::copy_character() {
  const std::size_t length = utf8_length(rest());
  if (length == 0) return repair("?", 1);
  out_ += rest().substr(0, length);
  start_ += length;
}

// A word may contain blanks: "N/A of 3" is one word.
void JsonText::take_word() {
  std::string_view text = rest();
  text = text.substr(0, kWordBytes.count(text));
  start_ += text.size();
  if (word_.empty()) text.remove_prefix(kBlanks.count(text));
  word_ += text.substr(0, kLongestWord - word_.size());
}

void JsonText::flush_word() {
  if (word_.empty()) return;
  const bool is_whole = word_.size() < kLongestWord;
  while (kBlanks.has(word_.back())) word_.pop_back();
  const bool is_known = is_whole && is_json_word(word_);
  put(is_known ? std::string_view(word_) : "null");
  repairs_ += is_known ? 0 : 1;
  word_.clear();
}

void JsonText::copy_mark(char mark) {
  flush_word();
  if (mark == ',') {
    has_comma_ = last_ != '{' && last_ != '[';
    return;
  }
  has_comma_ = has_comma_ && mark != '}' && mark != ']';
  put({&mark, 1});
  in_text_ = mark == '"';
}

void JsonText::put(std::string_view token) {
  if (has_comma_) out_ += ',';
  has_comma_ = false;
  out_ += token;
  last_ = token.back();
}

void JsonText::repair(std::string_view replacement, std::size_t length) {
  out_ += replacement;
  start_ += length;
  ++repairs_;
}

}  // namespace feedrate
