// SPDX-License-Identifier: Apache-2.0
#include "core/host/processes.h"

#include <algorithm>
#include <ctime>
#include <string>

#include <unistd.h>

#include "core/host/text_file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

// Each thread has its own list of the children that it started.
std::vector<pid_t> children_of(const fs::path& root, pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  const fs::path threads = root / "proc" / std::to_string(process) / "task";
  for (fs::directory_iterator thread(threads, error), end; !error && thread != end;
       thread.increment(error)) {
    const std::string list = read_text(thread->path() / "children").value_or("");
    for (const std::string_view word : split_words(list)) {
      if (const auto child = parse_unsigned(word)) children.push_back(static_cast<pid_t>(*child));
    }
  }
  return children;
}

std::vector<pid_t> process_tree(const fs::path& root, pid_t process) {
  std::vector<pid_t> tree{process};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    for (const pid_t child : children_of(root, tree[i])) {
      // The kernel may reuse a pid during the walk; without the check it could loop forever.
      if (std::find(tree.begin(), tree.end(), child) == tree.end()) tree.push_back(child);
    }
  }
  return tree;
}

std::optional<double> cpu_seconds_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return std::nullopt;
  }
  return seconds(time);
}

double ended_children_cpu_seconds_of(const fs::path& root, pid_t process) {
  constexpr std::size_t kUser = 13, kSystem = 14;  // cutime and cstime of proc(5).
  const std::string stat = read_text(root / "proc" / std::to_string(process) / "stat").value_or("");
  const std::vector<std::string_view> fields = stat_fields(stat);
  if (fields.size() <= kSystem) return 0.0;
  const std::uint64_t ticks =
      parse_unsigned(fields[kUser]).value_or(0) + parse_unsigned(fields[kSystem]).value_or(0);
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::vector<pid_t> kernel_threads(const fs::path& root) {
  constexpr pid_t kParent = 2;
  if (read_trimmed(root / "proc" / std::to_string(kParent) / "comm") != "kthreadd") return {};
  return children_of(root, kParent);
}

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace feedrate
