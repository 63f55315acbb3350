// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/shared_sum.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"

namespace feedrate {
namespace {

UniqueFd make_memory_file() {
  UniqueFd fd(::memfd_create("feedrate-sum", MFD_CLOEXEC));
  if (fd.get() < 0) throw SystemError("shared memory", "cannot be made", errno);
  return fd;
}

UniqueFd open_memory_file(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (fd.get() < 0) throw SystemError(path, "cannot open the memory of rank 0", errno);
  return fd;
}

std::size_t first_of_part(std::size_t rank, std::size_t ranks, std::size_t count) {
  return count * rank / ranks;
}

std::span<float> part_of(std::span<float> values, std::size_t rank, std::size_t ranks) {
  const std::size_t first = first_of_part(rank, ranks, values.size());
  return values.subspan(first, first_of_part(rank + 1, ranks, values.size()) - first);
}

}  // namespace

SumMemory::SumMemory(int rank, int size) : SumMemory(rank, size, make_memory_file()) {}

SumMemory::SumMemory(int rank, int size, const std::string& path)
    : SumMemory(rank, size, open_memory_file(path)) {}

// All ranks set the same size.
SumMemory::SumMemory(int rank, int size, UniqueFd fd)
    : rank_(static_cast<std::size_t>(rank)),
      size_(static_cast<std::size_t>(size)),
      fd_(std::move(fd)) {
  if (::ftruncate(fd_.get(), static_cast<off_t>(bytes())) != 0) {
    throw SystemError("shared memory", "cannot be enlarged", errno);
  }
  void* const address = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (address == MAP_FAILED) throw SystemError("shared memory", "cannot be mapped", errno);
  numbers_ = static_cast<float*>(address);
}

SumMemory::~SumMemory() { ::munmap(numbers_, bytes()); }

std::string SumMemory::path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd_.get()); }

void SumMemory::give(std::span<const float> values) {
  std::ranges::copy(values, slot(rank_, values.size()).begin());
}

void SumMemory::add_own_part(std::size_t count) {
  const std::span<float> sum = part_of(slot(rank_, count), rank_, size_);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    const std::span<float> other = part_of(slot(rank, count), rank_, size_);
    std::ranges::transform(sum, other, sum.begin(), std::plus<>());
  }
}

void SumMemory::take(std::span<float> values) {
  for (std::size_t rank = 0; rank < size_; ++rank) {
    std::ranges::copy(part_of(slot(rank, values.size()), rank, size_),
                      part_of(values, rank, size_).begin());
  }
  turn_ = 1 - turn_;
}

std::size_t SumMemory::bytes() const { return size_ * 2 * kMostNumbers * sizeof(float); }

std::span<float> SumMemory::slot(std::size_t rank, std::size_t count) const {
  return {numbers_ + (rank * 2 + turn_) * kMostNumbers, count};
}

}  // namespace feedrate
