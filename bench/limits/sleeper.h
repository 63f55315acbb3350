// A thread that sleeps until it is woken, and what waking it takes.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

namespace feedrate {

/// Seconds.
struct Wake {
  double call = 0.0;           ///< of the waker, in the call that wakes
  double until_it_runs = 0.0;  ///< from that call's begin until the woken thread runs
};

/// It waits as all locks, conditions and semaphores of Linux do: in futex(2). One thread wakes it.
class Sleeper {
 public:
  Sleeper();
  ~Sleeper();
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  /// Returns when it runs. Empty where it was not yet asleep, so that nobody had to be woken.
  [[nodiscard]] std::optional<Wake> wake();

 private:
  void run(const std::stop_token& stop);

  std::atomic<std::uint32_t> turn_{0};            // What it sleeps on: how often it was woken …
  std::atomic<std::uint32_t> answered_{0};        // … and how often it ran.
  std::chrono::steady_clock::time_point ran_at_;  // Of the turn that is answered.
  std::jthread thread_;
};

}  // namespace feedrate
