#include "bench/limits/team.h"

#include <algorithm>
#include <chrono>
#include <exception>
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

}  // namespace

double run_together(int threads, const std::function<void(int thread)>& work) {
  std::vector<Member> members(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&, i] { members[static_cast<std::size_t>(i)].run(i, work); });
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
