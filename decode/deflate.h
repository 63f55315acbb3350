// Zlib streams that are whole in memory, and the checksum of PNG's chunks, by libdeflate.
#pragma once
#include <cstdint>
#include <memory>

#include "core/units.h"

namespace feedrate {

/// CRC-32 as PNG and zlib have it. Any thread.
[[nodiscard]] std::uint32_t crc32_of(Bytes data) noexcept;

/// Working memory of the decompression, used again and again: one per worker.
class Inflater {
 public:
  Inflater();

  /// True only if `stream` is one zlib stream and nothing else, its checksum is right, it fills
  /// `target` to the last byte, and no distance in it can exceed the window that it announces.
  /// Otherwise `target` is unspecified.
  [[nodiscard]] bool inflate(Bytes stream, MutableBytes target) const noexcept;

 private:
  struct Free {
    void operator()(void* state) const noexcept;
  };
  std::unique_ptr<void, Free> state_;
};

}  // namespace feedrate
