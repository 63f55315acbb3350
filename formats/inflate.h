// Zlib streams that are whole in memory, by libdeflate.
#pragma once
#include <memory>

#include "core/units.h"

namespace feedrate {

/// Working memory of the decompression, used again and again: one per worker. Where a call says
/// false, `target` is unspecified.
class Inflater {
 public:
  Inflater();

  /// True only if `bytes` begin with a zlib stream, its checksum is right, and it fills `target` to
  /// the last byte.
  [[nodiscard]] bool inflate(Bytes bytes, MutableBytes target) const noexcept;

 private:
  struct Free {
    void operator()(void* state) const noexcept;
  };
  std::unique_ptr<void, Free> state_;
};

}  // namespace feedrate
