// SPDX-License-Identifier: Apache-2.0
#include "core/host/page_cache.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/unique_fd.h"

namespace feedrate {
namespace {

UniqueFd open_file(const std::filesystem::path& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

class Mapping {
 public:
  Mapping(int descriptor, std::uint64_t offset, std::size_t size)
      : size_(size),
        address_(
            ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(offset))) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (is_mapped()) ::munmap(address_, size_);
  }
  [[nodiscard]] bool is_mapped() const { return address_ != MAP_FAILED; }
  [[nodiscard]] void* address() const { return address_; }

 private:
  std::size_t size_;
  void* address_;
};

// mincore() returns one byte for each page: 256 KiB for each window of a large file.
constexpr std::uint64_t kWindow = std::uint64_t{1} << 30;

std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::optional<std::uint64_t> resident_in_window(int descriptor, std::uint64_t offset,
                                                std::uint64_t size) {
  const Mapping mapping(descriptor, offset, size);
  if (!mapping.is_mapped()) return std::nullopt;
  std::vector<unsigned char> pages((size + page_size() - 1) / page_size());
  if (::mincore(mapping.address(), size, pages.data()) != 0) return std::nullopt;
  std::uint64_t resident = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const bool is_resident = (pages[i] & 1U) != 0;
    if (is_resident) resident += std::min(page_size(), size - i * page_size());
  }
  return resident;
}

std::optional<std::uint64_t> resident_bytes(int descriptor, std::uint64_t size) {
  std::uint64_t resident = 0;
  for (std::uint64_t offset = 0; offset < size; offset += kWindow) {
    const auto part = resident_in_window(descriptor, offset, std::min(kWindow, size - offset));
    if (!part) return std::nullopt;
    resident += *part;
  }
  return resident;
}

// mincore() is correct only for the owner and for users who may write (its manual page, NOTES).
bool may_be_asked(const std::filesystem::path& path, const struct stat& status) {
  return status.st_uid == geteuid() || ::access(path.c_str(), W_OK) == 0;
}

void add_file(const std::filesystem::path& path, Residency& sum) {
  const UniqueFd file = open_file(path);
  struct stat status {};
  const bool is_known = file.get() >= 0 && ::fstat(file.get(), &status) == 0 &&
                        S_ISREG(status.st_mode) && may_be_asked(path, status);
  if (!is_known) {
    ++sum.unknown_files;
    return;
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto resident = resident_bytes(file.get(), size);
  if (!resident) {
    ++sum.unknown_files;
    return;
  }
  sum.total_bytes += size;
  sum.resident_bytes += *resident;
}

bool drop_file(const std::filesystem::path& path) {
  const UniqueFd file = open_file(path);
  if (file.get() < 0) return false;
  // Dirty pages cannot be dropped.
  if (::fdatasync(file.get()) != 0) return false;
  return ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) == 0;
}

// Reads instead of POSIX_FADV_WILLNEED, which the kernel may follow only in part.
void read_file_through(const std::filesystem::path& path, std::vector<char>& buffer,
                       const std::stop_token& stop) {
  const UniqueFd file = open_file(path);
  if (file.get() < 0) return;
  while (::read(file.get(), buffer.data(), buffer.size()) > 0) {
    if (stop.stop_requested()) throw Cancelled();
  }
}

}  // namespace

double Residency::share() const {
  if (total_bytes == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(resident_bytes) / static_cast<double>(total_bytes);
}

Residency page_cache_residency(std::span<const std::filesystem::path> files) {
  Residency sum;
  for (const std::filesystem::path& path : files) add_file(path, sum);
  return sum;
}

std::vector<std::filesystem::path> some_of(std::span<const std::filesystem::path> files) {
  constexpr std::size_t kMost = 1000;
  if (files.size() <= kMost) return {files.begin(), files.end()};
  std::vector<std::filesystem::path> some;
  for (std::size_t i = 0; i < kMost; ++i) some.push_back(files[i * files.size() / kMost]);
  return some;
}

std::size_t drop_page_cache(std::span<const std::filesystem::path> files) {
  return static_cast<std::size_t>(
      std::count_if(files.begin(), files.end(),
                    [](const std::filesystem::path& path) { return !drop_file(path); }));
}

void fill_page_cache(std::span<const std::filesystem::path> files, const std::stop_token& stop) {
  std::vector<char> buffer(std::size_t{1} << 20);
  for (const std::filesystem::path& path : files) {
    if (stop.stop_requested()) throw Cancelled();
    if (page_cache_residency({&path, 1}).share() < 1.0) read_file_through(path, buffer, stop);
  }
}

}  // namespace feedrate
