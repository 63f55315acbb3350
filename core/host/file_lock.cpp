// SPDX-License-Identifier: Apache-2.0
#include "core/host/file_lock.h"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

bool has_no_locks(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

void wait_for_lock(int fd, const fs::path& path, const std::stop_token& stop) {
  constexpr auto kPoll = std::chrono::milliseconds(50);  // flock() cannot wait for a stop token.
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (has_no_locks(errno)) return;
    if (errno != EWOULDBLOCK && errno != EINTR) {
      throw SystemError(path.string(), "cannot lock", errno);
    }
    if (stop.stop_requested()) throw Cancelled();
    std::this_thread::sleep_for(kPoll);
  }
}

/// The earlier holder of the lock may have removed the file since it was opened here.
bool is_still_at(const fs::path& path, int fd) {
  struct stat opened {};
  struct stat present {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &present) == 0 &&
         opened.st_dev == present.st_dev && opened.st_ino == present.st_ino;
}

UniqueFd open_lock_file(const fs::path& path) {
  for (;;) {
    create_folders(path.parent_path());
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (fd.get() >= 0) return fd;
    // ENOENT: the earlier holder of the lock has just removed the folder.
    if (errno != ENOENT) throw SystemError(path.string(), "cannot create", errno);
  }
}

}  // namespace

FileLock::FileLock(fs::path path, const std::stop_token& stop) : path_(std::move(path)) {
  do {
    fd_ = open_lock_file(path_);
    wait_for_lock(fd_.get(), path_, stop);
  } while (!is_still_at(path_, fd_.get()));
}

FileLock::~FileLock() {
  std::error_code ignored;  // The next process uses a file that could not be removed.
  fs::remove(path_, ignored);
  fs::remove(path_.parent_path(), ignored);
}

}  // namespace feedrate
