// SPDX-License-Identifier: Apache-2.0
#include "core/host/durable_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kModeOfNewFiles = 0666;  // The umask reduces it.

// Owns `descriptor`. Throws SystemError with errno if it is negative.
UniqueFd opened(int descriptor, const fs::path& path) {
  if (descriptor < 0) throw SystemError(path.string(), "cannot open", errno);
  return UniqueFd(descriptor);
}

UniqueFd open_whole(const fs::path& path, int flags) {
  return opened(::open(path.c_str(), flags | O_CLOEXEC, kModeOfNewFiles), path);
}

std::string read_all(int fd, std::uint64_t limit, const std::string& name) {
  std::string content;
  constexpr std::size_t kChunk = 1 << 16;
  while (true) {
    if (content.size() > limit) {
      throw FormatError({.file = name},
                        fmt::format("is larger than {} bytes, the maximum for such a file", limit));
    }
    const std::size_t had = content.size();
    content.resize(had + kChunk);
    const ssize_t got = ::read(fd, content.data() + had, kChunk);
    content.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return content;
    if (got < 0 && errno != EINTR) throw SystemError(name, "cannot read", errno);
  }
}

// Some network file systems report a full disk only when the file is closed.
void write_and_close(UniqueFd file, std::string_view content, bool is_durable,
                     const fs::path& path) {
  write_all(file.get(), std::as_bytes(std::span(content)), path.string());
  if (is_durable && ::fsync(file.get()) != 0) {
    throw SystemError(path.string(), "cannot sync", errno);
  }
  if (::close(file.release()) != 0) throw SystemError(path.string(), "cannot close", errno);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::optional<struct stat> inspect(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  throw SystemError(path.string(), "cannot stat", errno);
}

// Returns the target of the last link at `path`, which may not exist.
fs::path behind_links(fs::path path) {
  std::error_code error;
  while (fs::is_symlink(fs::symlink_status(path, error))) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) throw SystemError(path.string(), "cannot read link", error.value());
    path = folder_of(path) / target;  // An absolute target replaces the folder.
  }
  return path;
}

bool is_standard_output(const struct stat& target) {
  struct stat output {};
  return ::fstat(STDOUT_FILENO, &output) == 0 && target.st_dev == output.st_dev &&
         target.st_ino == output.st_ino;
}

// Writes to standard output by its descriptor: it may be a socket, or opened for appending.
void write_in_place(const fs::path& path, bool is_output, std::string_view content) {
  UniqueFd file = is_output ? opened(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), path)
                            : open_whole(path, O_WRONLY);
  write_and_close(std::move(file), content, false, path);
}

// A killed process or an attacker may have left a file of this name, so it is removed, never
// opened.
UniqueFd create_temporary(const fs::path& path, mode_t mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int descriptor = ::open(path.c_str(), kFlags, mode);
  if (descriptor < 0 && errno == EEXIST && ::unlink(path.c_str()) == 0) {
    descriptor = ::open(path.c_str(), kFlags, mode);
  }
  return opened(descriptor, path);
}

}  // namespace

std::string read_whole_file(const fs::path& path, std::uint64_t limit) {
  const std::optional<struct stat> there = inspect(path);
  if (there && !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode)) {
    throw FormatError({.file = path.string()}, "is not a regular file");
  }
  return read_all(open_whole(path, O_RDONLY | O_NONBLOCK).get(), limit, path.string());
}

void replace_file(const fs::path& path, std::string_view content) {
  const std::optional<struct stat> earlier = inspect(path);
  const bool is_output = earlier && is_standard_output(*earlier);
  if (is_output || (earlier && !S_ISREG(earlier->st_mode))) {
    return write_in_place(path, is_output, content);
  }
  const fs::path target = behind_links(path);
  fs::path temporary = target;
  temporary += ".tmp";
  UniqueFd file = create_temporary(temporary, earlier ? S_IRUSR | S_IWUSR : kModeOfNewFiles);
  try {
    constexpr mode_t kPermissions = 0777;
    if (earlier && ::fchmod(file.get(), earlier->st_mode & kPermissions) != 0) {
      throw SystemError(temporary.string(), "cannot set its mode", errno);
    }
    write_and_close(std::move(file), content, true, temporary);
    if (std::rename(temporary.c_str(), target.c_str()) != 0) {
      throw SystemError(target.string(), "cannot replace", errno);
    }
  } catch (const SystemError&) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_path(folder_of(target));
}

void append_to_file(const fs::path& path, std::string_view content) {
  std::error_code unknown;
  const bool is_new = !std::filesystem::exists(path, unknown);
  write_and_close(open_whole(path, O_WRONLY | O_CREAT | O_APPEND), content, true, path);
  if (is_new) sync_path(folder_of(path));
}

void touch_file(const fs::path& path) {
  const std::optional<struct stat> there = inspect(path);
  if (there && !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode)) return;  // It may block.
  write_and_close(open_whole(path, O_WRONLY | O_CREAT), "", false, path);
}

}  // namespace feedrate
