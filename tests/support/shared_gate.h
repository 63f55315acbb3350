// SPDX-License-Identifier: Apache-2.0
// A latch for a loader's fetchers in threads or processes: records which worker began which task,
// and blocks tasks until they are released.
#pragma once
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/shared_value.h"

namespace feedrate::testing {

/// Create it before the workers start. All members may be called from any thread of any process. A
/// process that is killed while waiting leaves nothing locked: there is only a futex.
class SharedGate {
 public:
  static constexpr std::uint64_t kMaxTasks = 4096;

  /// Called in a worker: records that `fetcher` begins `task`, and waits until that is released.
  void enter(std::size_t fetcher, std::uint64_t task) {
    at(state_->begun, task) = static_cast<std::uint32_t>(fetcher) + 1;
    ++state_->begun_count;
    announce();
    wait_until([&] { return state_->open || at(state_->release, task); });
  }
  void release(std::uint64_t task) {
    at(state_->release, task) = true;
    announce();
  }
  void open() {
    state_->open = true;
    announce();
  }
  /// Waits until `tasks` tasks have begun since the gate was created or reset.
  void wait_until_begun(std::size_t tasks) {
    wait_until([&] { return state_->begun_count >= tasks; });
  }
  /// Maps each begun task to its fetcher; a task begun twice has the later fetcher.
  [[nodiscard]] std::map<std::uint64_t, std::size_t> begun() const {
    std::map<std::uint64_t, std::size_t> begun;
    for (std::uint64_t task = 0; task < kMaxTasks; ++task) {
      if (const std::uint32_t fetcher = state_->begun[task]; fetcher > 0) begun[task] = fetcher - 1;
    }
    return begun;
  }
  /// Includes tasks that were begun again.
  [[nodiscard]] std::size_t begun_count() const { return state_->begun_count; }
  /// REQUIRES: no fetcher is inside
  void reset() {
    for (auto& fetcher : state_->begun) fetcher = 0;
    for (auto& task : state_->release) task = false;
    state_->begun_count = 0;
    state_->open = false;
  }

 private:
  struct State {
    std::array<std::atomic<std::uint32_t>, kMaxTasks> begun{};  // Fetcher + 1.
    std::array<std::atomic<bool>, kMaxTasks> release{};
    std::atomic<std::size_t> begun_count{0};
    std::atomic<bool> open{false};
    std::atomic<std::uint32_t> changes{0};
  };
  static_assert(sizeof(std::atomic<std::uint32_t>) == 4);

  template <typename Array>
  static typename Array::value_type& at(Array& array, std::uint64_t task) {
    if (task >= kMaxTasks) throw std::out_of_range("SharedGate: task number too high");
    return array[task];
  }

  void announce() {
    ++state_->changes;
    futex(FUTEX_WAKE, INT_MAX);
  }

  template <typename Condition>
  void wait_until(const Condition& condition) {
    for (;;) {
      const std::uint32_t seen = state_->changes;
      if (condition()) return;
      futex(FUTEX_WAIT, seen);
    }
  }

  void futex(int operation, std::uint32_t value) {
    ::syscall(SYS_futex, &state_->changes, operation, value, nullptr, nullptr, 0);
  }

  SharedValue<State> state_;
};

}  // namespace feedrate::testing
