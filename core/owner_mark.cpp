// SPDX-License-Identifier: Apache-2.0
#include "core/owner_mark.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fnv1a.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

// Paths of sockets have at most 107 characters, so four digits must do.
std::string four_digits(std::uint64_t number) { return fmt::format("{:04x}", number & 0xFFFFU); }

// Reads the start time, field 22 of /proc/PID/stat; the second field may hold spaces and brackets.
// Reads the main thread's file, which has the same value: QEMU's user emulation fakes
// /proc/self/stat, and others would take this process's folders for left behind. Empty if the
// process does not exist.
std::optional<std::string> start_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/stat", process));
  std::ostringstream read;
  read << file.rdbuf();  // istreambuf_iterator would throw if the process ends after the open
  const std::string text = read.str();
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int kBehindTheName = 20;
  std::string field;
  for (int i = 0; i + 1 < kBehindTheName; ++i) fields >> field;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return four_digits(ticks);
}

// Identifies where process ids are unique: a hash of the boot id and the PID namespace.
std::string space() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::error_code unknown;
  text += fs::read_symlink("/proc/self/ns/pid", unknown).string();
  return four_digits(fnv1a(text));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (int i = 0; i < 3; ++i) {
    const std::size_t end = std::min(text.find_first_of("_-."), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool is_owner_gone(std::string_view marked) {
  const std::vector<std::string> words = words_of(marked);
  pid_t process = 0;
  const std::string& digits = words[0];
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), process);
  if (parsed.ec != std::errc() || process <= 0 || words[1].empty() || words[2] != space()) {
    return false;
  }
  if (::kill(process, 0) != 0) return errno == ESRCH;
  const std::optional<std::string> start = start_of(process);
  return start && *start != words[1];
}

bool is_ours(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

}  // namespace

std::string owner_mark() {
  return fmt::format("{}_{}_{}", ::getpid(), start_of(::getpid()).value_or("0"), space());
}

void remove_left_behind(const fs::path& folder, std::string_view prefix) noexcept try {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && is_owner_gone(std::string_view(name).substr(prefix.size())) &&
        is_ours(entry->path())) {
      left.push_back(entry->path());
    }
  }
  for (const fs::path& one : left) fs::remove_all(one, error);
} catch (const std::exception&) {  // out of memory
}

}  // namespace feedrate
