// Zlib streams that are whole in memory, by libdeflate.
#pragma once
#include <memory>

#include "core/units.h"

namespace feedrate {

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
