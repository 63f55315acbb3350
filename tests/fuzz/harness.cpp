// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/harness.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace feedrate::fuzz {
namespace {

constexpr std::size_t kMaxRecords = 4096;

void inspect(const Record& record) {
  touch(record.payload);
  touch(record.key);
  if (record.kind == Payload::kPixels && record.payload.size() != record.shape.size()) {
    finding("a record's number of pixels differs from its shape");
  }
}

}  // namespace

void finding(const std::string& what) { throw std::logic_error(what); }

void touch(Bytes bytes) {
  unsigned sum = 0;
  for (const std::byte byte : bytes) sum += std::to_integer<unsigned>(byte);
  const volatile unsigned seen = sum;
  static_cast<void>(seen);
}

void touch(std::string_view text) { touch(bytes_of(text)); }

MemoryFile::MemoryFile(Bytes content) : fd_(::memfd_create("feedrate-fuzz", MFD_CLOEXEC)) {
  // Not an Error, which would look like the parser's.
  if (fd_.get() < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  path_ = "/proc/self/fd/" + std::to_string(fd_.get());
  write_all(fd_.get(), content, path_);
}

NamedFile::NamedFile(Bytes content)
    : folder_(std::filesystem::temp_directory_path() / "feedrate-fuzz-"),
      path_((folder_.path() / "input").string()) {
  const UniqueFd fd(::open(path_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (fd.get() < 0) throw std::system_error(errno, std::generic_category(), path_);
  write_all(fd.get(), content, path_);
}

bool reads_as(OpenReader open, Bytes input, const ReadOptions& options) {
  const MemoryFile file(input);
  bool any = false;
  accepts([&] {
    const auto reader = open(file.path(), options);
    touch(reader->layout());
    if (reader->size() > input.size()) finding("more records than the file has bytes");
    const auto cursor = reader->open_cursor();
    const std::size_t count = std::min(reader->size(), kMaxRecords);
    for (std::size_t i = 0; i < count; ++i) {
      static_cast<void>(reader->locate(i));
      any = accepts([&] { inspect(cursor->read(i)); }) || any;
    }
  });
  return any;
}

std::uint64_t Decisions::number(std::size_t bytes) noexcept {
  const Bytes taken = rest_.first(std::min(bytes, rest_.size()));
  rest_ = rest_.subspan(taken.size());
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    value |= std::to_integer<std::uint64_t>(taken[i]) << (8 * i);
  }
  return value;
}

}  // namespace feedrate::fuzz
