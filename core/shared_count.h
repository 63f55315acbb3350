// SPDX-License-Identifier: Apache-2.0
// A counter shared with processes forked later. Any thread, any process.
#pragma once
#include <atomic>
#include <cstdint>

namespace feedrate {

/// Lives as long as the program. If the shared mapping fails, each process counts alone.
class SharedCount {
 public:
  SharedCount() noexcept;
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;

  void add() noexcept { count_->fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return count_->load(std::memory_order_relaxed);
  }

 private:
  using Count = std::atomic<std::uint64_t>;
  static_assert(Count::is_always_lock_free);

  Count own_ = 0;
  Count* count_ = &own_;
};

}  // namespace feedrate
