// SPDX-License-Identifier: Apache-2.0
#include "host/open_count.h"

#include <atomic>
#include <new>

#include <sys/mman.h>

namespace feedrate {
namespace {

using Count = std::atomic<std::uint64_t>;
static_assert(Count::is_always_lock_free);

// Shared with processes that are forked later. Without memory each process counts for itself.
Count& count() noexcept {
  static Count& shared = []() -> Count& {
    static Count own = 0;
    void* const memory =
        ::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? own : *new (memory) Count(0);
  }();
  return shared;
}

}  // namespace

std::uint64_t opened_files() noexcept { return count().load(std::memory_order_relaxed); }

void count_opened_file() noexcept { count().fetch_add(1, std::memory_order_relaxed); }

}  // namespace feedrate
