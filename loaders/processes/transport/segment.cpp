// SPDX-License-Identifier: Apache-2.0
#include "loaders/processes/transport/segment.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/resource_limits.h"

namespace feedrate {
namespace {

[[noreturn]] void fail(const std::string& subject, std::string_view action, int error_number) {
  throw SystemError(subject, fmt::format("{}{}", action, hint_for(error_number)), error_number);
}

Mapping map(int fd, std::size_t bytes, int flags, const std::string& subject) {
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);
  if (memory == MAP_FAILED) fail(subject, fmt::format("cannot map {} bytes", size), errno);
  return {static_cast<std::byte*>(memory), size};
}

// Writes one byte, as PyTorch does, to allocate the first page: a full /dev/shm then is an error,
// not a signal.
void set_size(int fd, std::size_t bytes, const std::string& name) {
  if (::ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    fail(name, fmt::format("cannot make a segment of {} bytes", bytes), errno);
  }
  if (bytes > 0 && ::write(fd, "", 1) != 1) {
    fail(name, fmt::format("cannot write to a segment of {} bytes", bytes), errno);
  }
}

}  // namespace

void UnmapMemory::operator()(std::byte* data) const noexcept { ::munmap(data, size); }

Segment create_segment(const std::string& name, std::size_t bytes) {
  Segment segment;
  segment.descriptor = UniqueFd(::shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600));
  if (segment.descriptor.get() < 0) fail(name, "cannot create a segment", errno);
  try {
    set_size(segment.descriptor.get(), bytes, name);
    segment.memory = map(segment.descriptor.get(), bytes, 0, name);
  } catch (...) {
    ::shm_unlink(name.c_str());
    throw;
  }
  return segment;
}

Mapping map_segment(const UniqueFd& descriptor, std::size_t bytes, const std::string& name) {
  return map(descriptor.get(), bytes, 0, name);
}

Mapping map_for_children(std::size_t bytes, const std::string& purpose) {
  return map(-1, bytes, MAP_ANONYMOUS | MAP_NORESERVE, purpose);
}

std::uint64_t random_tag() {
  // std::random_device is not used: its arc4random() would tie the portable program to glibc 2.36.
  std::uint64_t tag = 0;
  if (::getrandom(&tag, sizeof tag, 0) != sizeof tag) {
    fail("getrandom", "no random name for a segment", errno);
  }
  return tag;
}

}  // namespace feedrate
