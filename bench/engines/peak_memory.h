// The largest memory of the process tree while it lives.
#pragma once
#include <atomic>
#include <cstdint>
#include <latch>
#include <thread>

namespace feedrate {

/// Samples the PSS of the process tree twice a second on a thread of its own.
class PeakMemory {
 public:
  PeakMemory();
  /// Bytes; takes one more sample.
  [[nodiscard]] std::uint64_t peak();

 private:
  void sample();

  std::atomic<std::uint64_t> peak_ = 0;
  std::latch is_at_rest_{1};  // See fork_mutex(): a thread that starts must not meet a fork.
  std::jthread sampler_;
};

}  // namespace feedrate
