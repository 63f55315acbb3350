#include "bench/engines/peak_memory.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "core/fork_mutex.h"
#include "host/memory.h"

namespace feedrate {
namespace {

// Reading it costs the kernel a walk over the page tables: rare enough to stay unseen.
constexpr auto kInterval = std::chrono::milliseconds(500);

}  // namespace

PeakMemory::PeakMemory()
    : sampler_([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        is_at_rest_.count_down();
        while (!stop.stop_requested()) {
          sample();
          never.wait_for(lock, stop, kInterval, [] { return false; });
        }
      }) {
  is_at_rest_.wait();
}

std::uint64_t PeakMemory::peak() {
  sample();
  return peak_.load();
}

void PeakMemory::sample() {
  const std::lock_guard lock(fork_mutex());
  const std::uint64_t now = process_tree_pss();
  std::uint64_t seen = peak_.load();
  while (seen < now && !peak_.compare_exchange_weak(seen, now)) {
  }
}

}  // namespace feedrate
