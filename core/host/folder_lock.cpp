// SPDX-License-Identifier: Apache-2.0
#include "core/host/folder_lock.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "core/error.h"

namespace feedrate {
namespace {

using std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(20);

bool is_held_by_another(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, std::chrono::milliseconds patience)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_.get() < 0) throw SystemError(folder.string(), "cannot open", errno);
  const auto limit = steady_clock::now() + patience;
  while (is_held_by_another(descriptor_.get())) {
    if (steady_clock::now() > limit) {
      throw ConfigError(
          fmt::format("{}: another feedrate process is writing to this folder; wait for it to end, "
                      "or choose another folder with --out",
                      folder.string()));
    }
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace feedrate
