// SPDX-License-Identifier: Apache-2.0
// Output to a terminal: text, and only the control sequence of our progress lines. Names and errors
// from outside may contain others. One thread.
#pragma once
#include <streambuf>
#include <string>

namespace feedrate {

/// Passes text on to `terminal`, which must outlive it, with a '?' for each control
/// (core/printable.h) but newline, tab and carriage return.
class PrintableBuffer final : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf& terminal) : terminal_(terminal) {}

 private:
  int_type overflow(int_type character) override;
  int sync() override;
  bool pass(char c);
  bool put(std::string_view text);

  std::streambuf& terminal_;
  std::string held_;  // the beginning of a possible control sequence or character
};

}  // namespace feedrate
