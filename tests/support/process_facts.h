// SPDX-License-Identifier: Apache-2.0
// The open resources of this process, for leak tests.
#pragma once
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace feedrate::testing {

struct ProcessFacts {
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t threads = 0;
  std::ptrdiff_t shared_mappings = 0;
  std::ptrdiff_t segments = 0;  ///< segments in /dev/shm whose name begins with "feedrate_<pid>_"
  bool has_children = false;

  bool operator==(const ProcessFacts&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const ProcessFacts& facts) {
  return out << facts.descriptors << " descriptors, " << facts.threads << " threads, "
             << facts.shared_mappings << " shared mappings, " << facts.segments << " segments, "
             << (facts.has_children ? "children" : "no children");
}

inline std::ptrdiff_t count_entries(const std::string& folder, const std::string& prefix = "") {
  std::ptrdiff_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    count += entry.path().filename().string().starts_with(prefix) ? 1 : 0;
  }
  return count;
}

inline std::ptrdiff_t count_shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    const std::string access = line.substr(line.find(' ') + 1, 4);
    count += access == "rw-s" ? 1 : 0;
  }
  return count;
}

/// Ignores exiting threads: pthread_join() returns before the kernel removes the thread.
inline std::ptrdiff_t count_threads() {
  constexpr unsigned kPfExiting = 0x4;  // PF_EXITING of linux/sched.h, in field 9 of stat: proc(5)
  std::ptrdiff_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(entry.path() / "stat");
    std::string stat;
    if (!std::getline(file, stat)) continue;  // The thread has just ended.
    std::istringstream fields(stat.substr(stat.rfind(')') + 2));
    std::string skipped;
    for (int field = 3; field < 9; ++field) fields >> skipped;
    unsigned flags = 0;
    fields >> flags;
    count += (flags & kPfExiting) == 0 ? 1 : 0;
  }
  return count;
}

/// Whether there are children, including ended ones that are not reaped.
inline bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

inline ProcessFacts process_facts() {
  return {.descriptors = count_entries("/proc/self/fd"),
          .threads = count_threads(),
          .shared_mappings = count_shared_mappings(),
          .segments = count_entries("/dev/shm", "feedrate_" + std::to_string(::getpid()) + "_"),
          .has_children = has_children()};
}

}  // namespace feedrate::testing
