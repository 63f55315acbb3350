// SPDX-License-Identifier: Apache-2.0
// Finds the processes and shared memory of one run of feedrate by an environment variable that all
// its descendants inherit. For leak tests. One thread.
#pragma once
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/types.h>

namespace feedrate::testing {

struct TracedProcess {
  pid_t pid = -1;
  pid_t parent = -1;
  std::string name;
  char state = '?';  ///< as in /proc/<pid>/stat: T is stopped
};

class RunTrace {
 public:
  /// `tag` must be unique to this run.
  explicit RunTrace(std::string_view tag)
      : variable_(fmt::format("{}={}", kVariable, tag)), earlier_(shared_names()) {}

  /// Marks the child process before exec().
  [[nodiscard]] bool mark_this_process() const {
    return ::setenv(kVariable, variable_.substr(variable_.find('=') + 1).c_str(), 1) == 0;
  }

  /// Returns the running processes of the run. Zombies have no environment and are omitted.
  std::vector<TracedProcess> processes() {
    std::vector<TracedProcess> found;
    for (const pid_t pid : numbers_in("/proc")) {
      if (!is_marked(pid)) continue;
      TracedProcess process = inspect(pid);
      if (process.pid < 0) continue;
      seen_.insert(pid);
      found.push_back(std::move(process));
    }
    return found;
  }

  /// Returns the names in /dev/shm created by processes that processes() has ever returned;
  /// feedrate and PyTorch put the process ID into the name. Names that existed before this run are
  /// omitted: a killed run may have left them, and its process ID may be reused.
  [[nodiscard]] std::vector<std::string> segments() const {
    std::vector<std::string> names;
    for (const pid_t pid : seen_) {
      for (std::string& name : segments_of(pid)) names.push_back(std::move(name));
    }
    return names;
  }
  [[nodiscard]] std::vector<std::string> segments_of(pid_t pid) const {
    std::vector<std::string> names;
    for (const std::string& name : shared_names()) {
      if (earlier_.contains(name)) continue;
      for (const char* prefix : {"feedrate_", "torch_"}) {
        if (name.starts_with(fmt::format("{}{}_", prefix, pid))) names.push_back(name);
      }
    }
    return names;
  }

 private:
  static constexpr const char* kVariable = "FEEDRATE_TEST_RUN";

  static std::set<std::string> shared_names() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  static pid_t number(std::string_view text) {
    pid_t value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  static std::vector<pid_t> numbers_in(const std::filesystem::path& folder) {
    std::vector<pid_t> numbers;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const pid_t pid = number(entry.path().filename().string());
      if (pid > 0) numbers.push_back(pid);
    }
    return numbers;
  }

  // Returns an empty text if the process has ended.
  static std::string read_of(pid_t pid, std::string_view file) {
    std::ifstream in(fmt::format("/proc/{}/{}", pid, file), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();  // Does not throw if the process ends between open and read.
    return text.str();
  }

  [[nodiscard]] bool is_marked(pid_t pid) const {
    const std::string environment = '\0' + read_of(pid, "environ");
    return environment.find('\0' + variable_ + '\0') != std::string::npos;
  }

  static TracedProcess inspect(pid_t pid) {
    const std::string stat = read_of(pid, "stat");  // "12 (name) S 11 …"
    const std::size_t open = stat.find('(');
    const std::size_t close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos) return {};
    TracedProcess process{.pid = pid, .name = stat.substr(open + 1, close - open - 1)};
    std::istringstream rest(stat.substr(close + 1));
    rest >> process.state >> process.parent;
    return process.state == 'Z' ? TracedProcess{} : process;
  }

  std::string variable_;
  std::set<std::string> earlier_;  // Names in /dev/shm before this run.
  std::set<pid_t> seen_;
};

/// Bytes that a process has read by system calls, including from the page cache; 0 if it has ended.
inline std::size_t bytes_read_by(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/io", pid));
  std::string key;
  std::size_t bytes = 0;
  return in >> key >> bytes && key == "rchar:" ? bytes : 0;
}

}  // namespace feedrate::testing
