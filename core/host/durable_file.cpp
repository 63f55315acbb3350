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

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kModeOfNewFiles = 0666;  // The umask reduces it.

class WholeFile {
 public:
  WholeFile(const fs::path& path, int flags, mode_t mode = kModeOfNewFiles)
      : WholeFile(path.string(), ::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  WholeFile(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {
    if (descriptor_ < 0) throw SystemError(name_, "cannot open", errno);
  }
  WholeFile(WholeFile&& other) noexcept
      : name_(std::move(other.name_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  WholeFile& operator=(WholeFile&&) = delete;
  ~WholeFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  std::string read_all(std::uint64_t limit) {
    std::string content;
    constexpr std::size_t kChunk = 1 << 16;
    while (true) {
      if (content.size() > limit) {
        throw FormatError(
            {.file = name_},
            fmt::format("is larger than {} bytes, the maximum for such a file", limit));
      }
      const std::size_t had = content.size();
      content.resize(had + kChunk);
      const ssize_t got = ::read(descriptor_, content.data() + had, kChunk);
      content.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got == 0) return content;
      if (got < 0 && errno != EINTR) throw SystemError(name_, "cannot read", errno);
    }
  }

  void write_all(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno != EINTR) throw SystemError(name_, "cannot write", errno);
      content.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
  }

  void set_mode(mode_t mode) {
    if (::fchmod(descriptor_, mode) != 0) throw SystemError(name_, "cannot set its mode", errno);
  }

  void sync() {
    if (::fsync(descriptor_) != 0) throw SystemError(name_, "cannot sync", errno);
  }

  // Some network file systems report a full disk only here.
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) {
      throw SystemError(name_, "cannot close", errno);
    }
  }

 private:
  std::string name_;
  int descriptor_;
};

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Ignores EINVAL, by which some file systems refuse to sync a folder.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw SystemError(folder.string(), "cannot open", errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0 && error != EINVAL) {
    throw SystemError(folder.string(), "cannot sync", error);
  }
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
  WholeFile file(path.string(), is_output ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                          : ::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  file.write_all(content);
  file.close();
}

// A killed process or an attacker may have left a file of this name, so it is removed, never
// opened.
WholeFile create_temporary(const fs::path& path, mode_t mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int descriptor = ::open(path.c_str(), kFlags, mode);
  if (descriptor < 0 && errno == EEXIST && ::unlink(path.c_str()) == 0) {
    descriptor = ::open(path.c_str(), kFlags, mode);
  }
  return {path.string(), descriptor};
}

void write_durably(WholeFile file, const std::optional<struct stat>& earlier,
                   std::string_view content) {
  constexpr mode_t kPermissions = 0777;
  if (earlier) file.set_mode(earlier->st_mode & kPermissions);
  file.write_all(content);
  file.sync();
  file.close();
}

}  // namespace

std::string read_whole_file(const fs::path& path, std::uint64_t limit) {
  const std::optional<struct stat> there = inspect(path);
  if (there && !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode)) {
    throw FormatError({.file = path.string()}, "is not a regular file");
  }
  return WholeFile(path, O_RDONLY | O_NONBLOCK).read_all(limit);
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
  WholeFile file = create_temporary(temporary, earlier ? S_IRUSR | S_IWUSR : kModeOfNewFiles);
  try {
    write_durably(std::move(file), earlier, content);
    if (std::rename(temporary.c_str(), target.c_str()) != 0) {
      throw SystemError(target.string(), "cannot replace", errno);
    }
  } catch (const SystemError&) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder_of(target));
}

void append_to_file(const fs::path& path, std::string_view content) {
  std::error_code unknown;
  const bool is_new = !std::filesystem::exists(path, unknown);
  WholeFile file(path, O_WRONLY | O_CREAT | O_APPEND);
  file.write_all(content);
  file.sync();
  file.close();
  if (is_new) sync_folder(folder_of(path));
}

void touch_file(const fs::path& path) {
  const std::optional<struct stat> there = inspect(path);
  if (there && !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode)) return;  // It may block.
  WholeFile(path, O_WRONLY | O_CREAT).close();
}

}  // namespace feedrate
