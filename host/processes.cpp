#include "host/processes.h"

#include <algorithm>
#include <ctime>
#include <string>

#include "host/text_file.h"

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
      // A number that was given to a new process while this looks must not make it go round.
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

}  // namespace feedrate
