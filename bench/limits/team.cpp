// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/team.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <latch>
#include <thread>
#include <vector>

namespace feedrate {
namespace {

using Time = std::chrono::steady_clock::time_point;

struct Member {
  Time begin = Time::max();
  Time end = Time::min();
  std::exception_ptr error;

  void run(int thread, const std::function<void(int)>& work) {
    begin = std::chrono::steady_clock::now();
    try {
      work(thread);
    } catch (...) {
      error = std::current_exception();
    }
    end = std::chrono::steady_clock::now();
  }
};

/// Opens the latch also if a thread could not be started, so that the started ones end.
struct Gate {
  std::latch& latch;
  ~Gate() { latch.count_down(); }
};

}  // namespace

double run_together(int threads, const std::function<void(int thread)>& work) {
  std::vector<Member> members(static_cast<std::size_t>(threads));
  {
    std::latch start(1);
    std::vector<std::jthread> running;
    const Gate gate{start};
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        start.wait();
        members[static_cast<std::size_t>(i)].run(i, work);
      });
    }
  }
  Time begin = Time::max();
  Time end = Time::min();
  for (const Member& member : members) {
    if (member.error) std::rethrow_exception(member.error);
    begin = std::min(begin, member.begin);
    end = std::max(end, member.end);
  }
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace feedrate
