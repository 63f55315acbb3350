// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_buffers.h"

#include <algorithm>
#include <utility>

namespace feedrate::cupti {

void Buffers::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
}

std::vector<Buffers::Filled> Buffers::close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  return std::exchange(kept_, {});
}

std::uint8_t* Buffers::lend() {
  auto memory = std::make_unique_for_overwrite<std::uint8_t[]>(kBufferBytes);
  std::uint8_t* buffer = memory.get();
  const std::lock_guard lock(mutex_);
  lent_.emplace(buffer, std::move(memory));
  return buffer;
}

Buffers::Filled Buffers::take_back(std::uint8_t* buffer, std::size_t valid) {
  const std::lock_guard lock(mutex_);
  auto lent = lent_.extract(buffer);
  if (lent.empty()) return {};
  Filled filled{std::move(lent.mapped()), std::min(valid, kBufferBytes)};
  // Recording has ended, or CUPTI did not use the buffer.
  if (!open_ || filled.valid == 0) return {};
  if (kept_.size() >= most_kept_) return filled;
  kept_.push_back(std::move(filled));
  return {};
}

}  // namespace feedrate::cupti
