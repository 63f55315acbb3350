// SPDX-License-Identifier: Apache-2.0
// Wraps system calls on files and checks every result. Any thread; a descriptor belongs to the
// owner of its UniqueFd.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/unique_fd.h"
#include "core/units.h"

namespace feedrate {

struct OpenFile {
  UniqueFd fd;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
};

/// Throws SystemError if the file cannot be opened, FormatError if it is not regular.
[[nodiscard]] OpenFile open_regular_file(const std::string& path);

/// Reads at `offset` until `out` is full or the file ends; returns the bytes read.
[[nodiscard]] std::size_t read_at(int fd, MutableBytes out, std::uint64_t offset,
                                  const std::string& path);

/// Returns a whole file as text. Throws FormatError if it is longer than `limit`.
[[nodiscard]] std::string read_text_file(const std::string& path, std::uint64_t limit);

/// Creates a new file, to be written. Throws SystemError, with EEXIST if it exists.
[[nodiscard]] UniqueFd create_file(const std::string& path);
void write_all(int fd, Bytes bytes, const std::string& path);

/// Creates a new file and writes it. Throws SystemError, with EEXIST if it exists.
void write_new_file(const std::string& path, Bytes bytes);
void write_new_file(const std::string& path, std::string_view text);

/// Creates a folder and those above it that are missing. Throws SystemError.
void create_folders(const std::filesystem::path& path);

/// Waits until a file or folder, or everything on the filesystem of `path`, is on storage.
void sync_path(const std::filesystem::path& path);
void sync_filesystem(const std::filesystem::path& path);

/// Memory that only grows, so that a cursor allocates nothing after its largest record.
class ReadBuffer {
 public:
  /// The content is unspecified. Invalidates the memory of earlier calls.
  [[nodiscard]] MutableBytes take(std::size_t size) {
    if (size > capacity_) {
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(size);
      capacity_ = size;
    }
    return {bytes_.get(), size};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t capacity_ = 0;
};

}  // namespace feedrate
