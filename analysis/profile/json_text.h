// SPDX-License-Identifier: Apache-2.0
// JSON on its way from a file to a parser, piece by piece: what the profilers of some versions
// write although it is no JSON is corrected. What is JSON passes unchanged, but for blanks and
// stray commas. Memory: about a MiB, whatever the file. One thread.
//
// Bare words that JSON does not know (N/A, NaN, Infinity) become null; quotes within texts and
// wrong escapes get a backslash; control characters become blanks, and bytes that are not UTF-8
// '?'; commas before a closing bracket, after an opening one, and after another comma go.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/profile/byte_input.h"

namespace feedrate {

class JsonText {
 public:
  /// `input` must outlive this.
  explicit JsonText(ByteInput& input) : input_(input) {}

  /// The next piece, which ends behind a bracket at the latest; valid until the next call. Empty:
  /// there is no more.
  [[nodiscard]] std::string_view next();

  /// Whether the input has ended, and not a text that is too long to be held. A zero byte, as a
  /// crash leaves at the end of a file, counts as the end.
  [[nodiscard]] bool is_at_end() const noexcept { return is_at_end_; }
  /// Bytes of the input before what next() will give.
  [[nodiscard]] std::uint64_t offset() const noexcept { return read_ - rest().size(); }
  /// Corrections in what next() has given, other than commas.
  [[nodiscard]] std::uint64_t repairs() const noexcept { return repairs_; }

 private:
  bool look_ahead();
  void fill();
  void copy_text();
  void copy_escape();
  void copy_character();
  void end_text();
  void take_word();
  void flush_word();
  void copy_mark(char mark);
  void put(std::string_view token);
  void repair(std::string_view replacement, std::size_t length);
  [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(start_); }

  ByteInput& input_;
  std::string buffer_;
  std::size_t start_ = 0;   // In buffer_, of what was not looked at.
  std::uint64_t read_ = 0;  // Bytes that were ever in buffer_.
  bool is_read_ = false;    // All of the input.
  std::string out_;
  std::string word_;        // Outside of texts, up to the next mark.
  char last_ = '\0';        // Of what was put outside of texts.
  bool has_comma_ = false;  // It is put before the next token, unless that is a closing bracket.
  bool in_text_ = false;
  std::size_t text_length_ = 0;
  bool is_at_end_ = false;
  std::uint64_t repairs_ = 0;
};

}  // namespace feedrate
