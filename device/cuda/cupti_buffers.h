// SPDX-License-Identifier: Apache-2.0
// The memory that CUPTI writes its records into. Any thread: CUPTI asks for buffers on those that
// call CUDA and returns them on one of its own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace feedrate::cupti {

class Buffers {
 public:
  using Memory = std::unique_ptr<std::uint8_t[]>;
  /// A buffer that CUPTI has done with.
  struct Filled {
    Memory memory;
    std::size_t valid = 0;
    [[nodiscard]] std::span<std::uint8_t> bytes() const { return {memory.get(), valid}; }
  };
  static constexpr std::size_t kBufferBytes = std::size_t{4} << 20U;

  /// Keeps at most `most_kept` filled buffers.
  explicit Buffers(std::size_t most_kept) : most_kept_(most_kept) {}

  /// From now on filled buffers are kept.
  void open();
  /// Ends that, and gives those that were kept, in the order of their return.
  [[nodiscard]] std::vector<Filled> close();

  /// kBufferBytes for CUPTI to fill. Never null: some versions crash if they are refused one.
  [[nodiscard]] std::uint8_t* lend();
  /// Takes back what lend() gave, with the number of bytes written to it. Hands it on if it cannot
  /// be kept because there are too many; its memory is null otherwise.
  [[nodiscard]] Filled take_back(std::uint8_t* buffer, std::size_t valid);

 private:
  std::mutex mutex_;
  std::size_t most_kept_;
  bool open_ = false;
  std::unordered_map<std::uint8_t*, Memory> lent_;
  std::vector<Filled> kept_;
};

}  // namespace feedrate::cupti
