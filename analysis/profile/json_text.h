// SPDX-License-Identifier: Apache-2.0
// Repairs the invalid JSON that some profiler versions write, piece by piece, before it reaches a
// parser. Valid JSON is unchanged except for blanks and stray commas. Memory: about one MiB for any
// file. One thread.
//
// Unknown bare words (N/A, NaN, Infinity) become null. Quotes within texts and wrong escapes get a
// backslash. Control characters become blanks, and bytes that are not UTF-8 become '?'. Commas
// before a closing bracket, after an opening one and after another comma are dropped.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/profile/byte_input.h"

namespace feedrate {

class JsonText {
 public:
  /// `input` must outlive it.
  explicit JsonText(ByteInput& input) : input_(input) {}

  /// The next piece, which ends at the next bracket or earlier; valid until the next call. Empty at
  /// the end.
  [[nodiscard]] std::string_view next();

  /// Whether the input has ended; false if next() stopped at a text that is too long. A zero byte,
  /// which a crash leaves at the end of a file, counts as the end.
  [[nodiscard]] bool is_at_end() const noexcept { return is_at_end_; }
  /// Input bytes that next() has consumed.
  [[nodiscard]] std::uint64_t offset() const noexcept { return read_ - rest().size(); }
  /// Repairs that next() has made, except commas.
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
  std::size_t start_ = 0;   // Index of the next byte in buffer_.
  std::uint64_t read_ = 0;  // Bytes read from input_.
  bool is_read_ = false;    // input_ is at its end.
  std::string out_;
  std::string word_;        // The bare word before the next mark.
  char last_ = '\0';        // Last byte written outside texts.
  bool has_comma_ = false;  // Written before the next token unless it is a closing bracket.
  bool in_text_ = false;
  std::size_t text_length_ = 0;
  bool is_at_end_ = false;
  std::uint64_t repairs_ = 0;
};

}  // namespace feedrate
