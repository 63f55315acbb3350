// SPDX-License-Identifier: Apache-2.0
// What a terminal is given: text, and of the control sequences only the one that our progress lines
// use. Names of files, of classes and errors of others may hold any. One thread.
#pragma once
#include <streambuf>
#include <string>

namespace feedrate {

/// Passes on to `terminal`, which outlives it, with a '?' for each control (core/printable.h) but
/// the line end, the tab and the return.
class PrintableBuffer final : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf& terminal) : terminal_(terminal) {}

 private:
  int_type overflow(int_type character) override;
  int sync() override;
  bool pass(char c);
  bool put(std::string_view text);

  std::streambuf& terminal_;
  std::string held_;  // The beginning of what may be a control sequence or a character.
};

}  // namespace feedrate
