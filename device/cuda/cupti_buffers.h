// SPDX-License-Identifier: Apache-2.0
// Memory that CUPTI writes its records into. Safe from any thread: CUPTI requests buffers on
// threads that call CUDA and returns them on its own thread.
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
  struct Filled {
    Memory memory;
    std::size_t valid = 0;
    [[nodiscard]] std::span<std::uint8_t> bytes() const { return {memory.get(), valid}; }
  };
  static constexpr std::size_t kBufferBytes = std::size_t{4} << 20U;

  /// Keeps at most `most_kept` filled buffers.
  explicit Buffers(std::size_t most_kept) : most_kept_(most_kept) {}

  /// Starts keeping filled buffers.
  void open();
  /// Stops keeping buffers, and returns the kept ones in the order of their return.
  [[nodiscard]] std::vector<Filled> close();

  /// Returns kBufferBytes bytes for CUPTI to fill. Never null: some CUPTI versions crash otherwise.
  [[nodiscard]] std::uint8_t* lend();
  /// Takes back a buffer from lend() into which CUPTI wrote `valid` bytes. Returns the buffer if
  /// `most_kept` are kept already; otherwise the result's memory is null.
  [[nodiscard]] Filled take_back(std::uint8_t* buffer, std::size_t valid);

 private:
  std::mutex mutex_;
  std::size_t most_kept_;
  bool open_ = false;
  std::unordered_map<std::uint8_t*, Memory> lent_;
  std::vector<Filled> kept_;
};

}  // namespace feedrate::cupti
