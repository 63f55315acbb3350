// What it takes to start a worker: a thread, or a process by the memory of the one that forks it;
// and to wake one that sleeps.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "bench/limits/sleeper.h"
#include "bench/limits/topics.h"
#include "core/error.h"
#include "host/memory.h"
#include "loaders/processes/child_process.h"

namespace feedrate {
namespace {

struct Unmap {
  std::size_t size = 0;
  void operator()(void* memory) const noexcept { ::munmap(memory, size); }
};

// In small pages, as the many small objects of a Python process lie in, and all of them touched.
class ResidentMemory {
 public:
  explicit ResidentMemory(std::size_t size) {
    if (size == 0) return;
    void* const memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw SystemError(size_text(size), "cannot be mapped", errno);
    memory_ = {memory, Unmap{size}};
    // A kernel without huge pages refuses, and has none anyway.
    static_cast<void>(::madvise(memory, size, MADV_NOHUGEPAGE));
    std::memset(memory, 1, size);
  }

 private:
  std::unique_ptr<void, Unmap> memory_;
};

void start_process(benchmark::State& state, std::size_t resident) {
  const ResidentMemory memory(resident);
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    ChildProcess child("a worker", "limits", [] {});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(took.count());
    child.wait();
  }
}

void start_thread(benchmark::State& state) {
  for (auto _ : state) std::jthread([] {}).join();
}

// A trainer's step goes by between two batches, in which the worker's core falls asleep, too.
void busy_for(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

Wake wake_asleep(Sleeper& sleeper) {
  constexpr std::chrono::microseconds kStep{200};
  while (true) {
    busy_for(kStep);
    if (const auto found = sleeper.wake()) return *found;
  }
}

// The median: somebody who takes the core away from one of the two for a while shall not count.
void wake(benchmark::State& state, double Wake::*what) {
  constexpr std::size_t kTimes = 1000;
  Sleeper sleeper;
  std::vector<double> times(kTimes);
  for (auto _ : state) {
    std::generate(times.begin(), times.end(), [&] { return wake_asleep(sleeper).*what; });
    const auto middle = times.begin() + kTimes / 2;
    std::nth_element(times.begin(), middle, times.end());
    state.SetIterationTime(*middle);
  }
}

LimitBenchmark waking(const char* name, const char* note, double Wake::*what) {
  LimitBenchmark one;
  one.row = {.name = name, .unit = "s", .note = note};
  one.timing = Timing::kManual;
  one.times = 1;
  one.body = [what](benchmark::State& state) { wake(state, what); };
  return one;
}

}  // namespace

TopicPlan plan_workers(const LimitsSetting& setting) {
  TopicPlan plan;
  plan.benchmarks.push_back(
      {{.name = "thread", .unit = "s", .note = "a thread started and joined: worker_type thread"},
       start_thread});
  plan.benchmarks.push_back(waking(
      "wake a sleeping thread", "whoever hands something over to it: the call alone", &Wake::call));
  plan.benchmarks.push_back(waking("until it runs",
                                   "from the call's begin until the thread that was woken runs",
                                   &Wake::until_it_runs));
  const std::uint64_t room = read_memory_info().available / 2;
  for (const std::uint64_t bytes : setting.scale.resident_bytes) {
    if (bytes > room) continue;
    LimitBenchmark one;
    one.row = {.name = "fork",
               .size = bytes,
               .unit = "s",
               .note = bytes == 0 ? "from a small parent"
                                  : "from a parent that holds so much memory more"};
    one.timing = Timing::kManual;
    one.body = [bytes](benchmark::State& state) { start_process(state, bytes); };
    plan.benchmarks.push_back(std::move(one));
  }
  return plan;
}

}  // namespace feedrate
