// SPDX-License-Identifier: Apache-2.0
#include "core/host/file.h"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/open_count.h"

namespace feedrate {
namespace {

UniqueFd open_or_throw(const std::string& path, int flags, mode_t mode, std::string_view action) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (fd.get() < 0) throw SystemError(path, action, errno);
  return fd;
}

}  // namespace

OpenFile open_regular_file(const std::string& path) {
  // With O_NONBLOCK, opening a FIFO does not wait for a writer; regular files ignore the flag.
  OpenFile file{.fd = open_or_throw(path, O_RDONLY | O_NONBLOCK, 0, "cannot open")};
  count_opened_file();
  struct stat status {};
  if (::fstat(file.fd.get(), &status) != 0) throw SystemError(path, "cannot stat", errno);
  if (!S_ISREG(status.st_mode)) throw FormatError({.file = path}, "is not a regular file");
  file.size = static_cast<std::uint64_t>(status.st_size);
  file.mtime_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return file;
}

std::size_t read_at(int fd, MutableBytes out, std::uint64_t offset, const std::string& path) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw SystemError(path, "cannot read", errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

std::string read_text_file(const std::string& path, std::uint64_t limit) {
  const OpenFile file = open_regular_file(path);
  if (file.size > limit) {
    throw FormatError({.file = path},
                      fmt::format("has {} bytes; must have at most {}", file.size, limit));
  }
  std::string text(file.size, '\0');
  text.resize(read_at(file.fd.get(), std::as_writable_bytes(std::span(text)), 0, path));
  return text;
}

UniqueFd create_file(const std::string& path) {
  return open_or_throw(path, O_WRONLY | O_CREAT | O_EXCL, 0666, "cannot create");
}

void write_all(int fd, Bytes bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw SystemError(path, "cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void write_new_file(const std::string& path, Bytes bytes) {
  UniqueFd fd = create_file(path);
  write_all(fd.get(), bytes, path);
  if (::close(fd.release()) != 0) throw SystemError(path, "cannot close", errno);
}

void write_new_file(const std::string& path, std::string_view text) {
  write_new_file(path, std::as_bytes(std::span(text)));
}

void create_folders(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw SystemError(path.string(), "cannot create folder", error.value());
}

void sync_path(const std::filesystem::path& path) {
  const UniqueFd fd = open_or_throw(path.string(), O_RDONLY, 0, "cannot open");
  // Some file systems have no fsync() for folders and return EINVAL.
  if (::fsync(fd.get()) != 0 && errno != EINVAL)
    throw SystemError(path.string(), "cannot sync", errno);
}

void sync_filesystem(const std::filesystem::path& path) {
  const UniqueFd fd = open_or_throw(path.string(), O_RDONLY, 0, "cannot open");
  if (::syncfs(fd.get()) != 0) throw SystemError(path.string(), "cannot sync", errno);
}

}  // namespace feedrate
