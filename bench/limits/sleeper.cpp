#include "bench/limits/sleeper.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace feedrate {
namespace {

using Steady = std::chrono::steady_clock;

double seconds(Steady::duration time) { return std::chrono::duration<double>(time).count(); }

// std::atomic's own notify() leaves the system call out where nobody waits, and does not tell.
std::uint32_t* word(std::atomic<std::uint32_t>& value) {
  static_assert(sizeof(value) == sizeof(std::uint32_t));
  return reinterpret_cast<std::uint32_t*>(&value);
}

void wait_while(std::atomic<std::uint32_t>& value, std::uint32_t is) {
  while (value.load(std::memory_order_acquire) == is) {
    ::syscall(SYS_futex, word(value), FUTEX_WAIT_PRIVATE, is, nullptr, nullptr, 0);
  }
}

bool wake_one(std::atomic<std::uint32_t>& value) {
  return ::syscall(SYS_futex, word(value), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0) == 1;
}

}  // namespace

Sleeper::Sleeper() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

Sleeper::~Sleeper() {
  thread_.request_stop();
  turn_.fetch_add(1, std::memory_order_release);
  wake_one(turn_);
}

std::optional<Wake> Sleeper::wake() {
  const Steady::time_point begin = Steady::now();
  const std::uint32_t turn = turn_.fetch_add(1, std::memory_order_release) + 1;
  const bool was_asleep = wake_one(turn_);
  const Steady::time_point end = Steady::now();
  answered_.wait(turn - 1, std::memory_order_acquire);
  if (!was_asleep) return std::nullopt;
  return Wake{.call = seconds(end - begin), .until_it_runs = seconds(ran_at_ - begin)};
}

void Sleeper::run(const std::stop_token& stop) {
  std::uint32_t seen = 0;
  while (true) {
    wait_while(turn_, seen);
    if (stop.stop_requested()) return;
    ran_at_ = Steady::now();
    answered_.store(++seen, std::memory_order_release);
    answered_.notify_one();
  }
}

}  // namespace feedrate
