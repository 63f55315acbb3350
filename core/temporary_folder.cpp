// SPDX-License-Identifier: Apache-2.0
#include "core/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "core/error.h"
#include "core/owner_mark.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> possible_roots() {
  const auto named = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return fs::path(value == nullptr ? "" : value);
  };
  std::vector<fs::path> roots{named("TMPDIR"), "/tmp", named("XDG_RUNTIME_DIR")};
  if (!named("HOME").empty()) roots.push_back(named("HOME") / ".cache");
  return roots;
}

bool is_usable(const fs::path& root) {
  constexpr std::size_t kLongest = 64;
  std::error_code error;
  return root.native().size() <= kLongest && root.native().find(':') == std::string::npos &&
         fs::is_directory(root, error) && ::access(root.c_str(), W_OK | X_OK) == 0;
}

// Opens one descriptor at a time: std::filesystem::remove_all() opens one per level, which may
// exceed the limit.
void remove_tree(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    entries.push_back(entry->path());
  }
  for (const fs::path& path : entries) {
    const bool is_folder = fs::is_directory(fs::symlink_status(path, ignored));
    is_folder ? remove_tree(path) : static_cast<void>(fs::remove(path, ignored));
  }
  fs::remove(folder, ignored);
}

}  // namespace

fs::path temporary_root() {
  std::error_code error;
  for (const fs::path& root : possible_roots()) {
    if (root.empty()) continue;
    if (const fs::path absolute = fs::absolute(root, error); is_usable(absolute)) return absolute;
  }
  throw SystemError("no folder for temporary files",
                    "set TMPDIR to one that is writable, has no colon and at most 64 bytes",
                    ENOENT);
}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& prefix) {
  const std::filesystem::path parent = prefix.parent_path();
  remove_left_behind(parent.empty() ? "." : parent, prefix.filename().string());
  std::string name = prefix.string() + owner_mark() + "-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw SystemError(name, "cannot create folder", errno);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() { remove_tree(path_); }

}  // namespace feedrate
