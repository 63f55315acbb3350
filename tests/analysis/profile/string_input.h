// SPDX-License-Identifier: Apache-2.0
// A ByteInput over a text that limits the bytes of each read.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "analysis/profile/byte_input.h"

namespace feedrate::testing {

class StringInput : public ByteInput {
 public:
  explicit StringInput(std::string text, std::size_t at_once = 1 << 20)
      : text_(std::move(text)), at_once_(at_once) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), at_once_, text_.size() - given_});
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(given_), count, into.begin());
    given_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return given_; }
  [[nodiscard]] std::uint64_t size() const override { return text_.size(); }
  [[nodiscard]] bool is_truncated() const override { return false; }

 private:
  const std::string text_;
  const std::size_t at_once_;
  std::size_t given_ = 0;
};

}  // namespace feedrate::testing
