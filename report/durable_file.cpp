#include "report/durable_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.h"

namespace feedrate {
namespace {

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int flags)
      : name_(path.string()), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw SystemError(name_, "cannot open", errno);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  std::string read_all() {
    std::string content;
    constexpr std::size_t kChunk = 1 << 16;
    while (true) {
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

  void sync() {
    if (::fsync(descriptor_) != 0) throw SystemError(name_, "cannot make durable", errno);
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

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// Some file systems cannot sync a folder and say EINVAL; the rename is then as durable as it gets.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw SystemError(folder.string(), "cannot open", errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0 && error != EINVAL) {
    throw SystemError(folder.string(), "cannot make durable", error);
  }
}

void write_durably(const std::filesystem::path& path, std::string_view content) {
  OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC);
  file.write_all(content);
  file.sync();
  file.close();
}

}  // namespace

std::string read_whole_file(const std::filesystem::path& path) {
  return OpenFile(path, O_RDONLY).read_all();
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    write_durably(temporary, content);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
      throw SystemError(path.string(), "cannot replace", errno);
    }
  } catch (const SystemError&) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder_of(path));
}

void append_to_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code unknown;
  const bool is_new = !std::filesystem::exists(path, unknown);
  OpenFile file(path, O_WRONLY | O_CREAT | O_APPEND);
  file.write_all(content);
  file.sync();
  file.close();
  if (is_new) sync_folder(folder_of(path));
}

void touch_file(const std::filesystem::path& path) { OpenFile(path, O_WRONLY | O_CREAT).close(); }

}  // namespace feedrate
