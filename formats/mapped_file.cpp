#include "formats/mapped_file.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "formats/wanted_pieces.h"

namespace feedrate {
namespace {

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t into_page(Bytes part) noexcept {
  return reinterpret_cast<std::uintptr_t>(part.data()) % page_size();
}

void touch(Bytes part) noexcept {
  const auto look_at = [](const std::byte& byte) {
    static_cast<void>(*static_cast<const volatile std::byte*>(&byte));
  };
  look_at(part.front());
  for (std::size_t at = page_size() - into_page(part); at < part.size(); at += page_size()) {
    look_at(part[at]);
  }
  // Whoever sees the zeros of another thread's missed page sees its mark, too.
  std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace

WatchedMapping::WatchedMapping(Bytes mapped, int fd, std::string path, const ReadOptions& options)
    : bytes_(mapped),
      fd_(fd),
      path_(std::move(path)),
      asks_(options.order == ReadOrder::kRandom && options.batch == BatchReads::kOneByOne),
      guard_(mapped) {}

void WatchedMapping::bring_in(Bytes part, std::optional<std::uint64_t> record) const {
  if (part.empty()) return;
  // Without read-ahead each page would be a read from storage of its own, but a system call costs
  // more than it saves where there are few.
  constexpr std::size_t kFewBytes = 16 * 1024;
  if (asks_ && part.size() >= kFewBytes) ask_for(part);
  touch(part);
  if (guard_.is_damaged()) fail(record);
}

void WatchedMapping::ask_for(Bytes part) const noexcept {
  if (part.empty()) return;
  auto* const begin = const_cast<std::byte*>(part.data()) - into_page(part);
  for_wanted_pieces(0, part.size() + into_page(part), [&](std::uint64_t at, std::uint64_t size) {
    static_cast<void>(::madvise(begin + at, size, MADV_WILLNEED));
  });
}

void WatchedMapping::check_length(std::optional<std::uint64_t> record) const {
  const auto now = length_now();
  if (!now || *now >= bytes_.size()) return;
  guard_.mark_damaged();
  fail(record);
}

std::optional<std::uint64_t> WatchedMapping::length_now() const noexcept {
  struct stat status {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

void WatchedMapping::fail(std::optional<std::uint64_t> record) const {
  const auto now = length_now();
  if (now && *now >= bytes_.size()) {
    throw SystemError(path_, "its storage failed to give a part of it", EIO);
  }
  std::string problem = "became shorter while it was read, or cannot be read any more";
  if (now) {
    problem = fmt::format("became shorter while it was read: it had {} bytes and has {}",
                          bytes_.size(), *now);
  }
  throw FormatError({.file = path_, .record = record}, problem);
}

MappedFile::MappedFile(const OpenFile& file, const std::string& path, const ReadOptions& options)
    : memory_(file, path, options.order), mapping_(memory_.bytes(), file.fd.get(), path, options) {}

MappedFile::Memory::Memory(const OpenFile& file, const std::string& path, ReadOrder order) {
  if (file.size == 0) return;  // There is no mapping of nothing.
  void* const address = ::mmap(nullptr, file.size, PROT_READ, MAP_SHARED, file.fd.get(), 0);
  if (address == MAP_FAILED) throw SystemError(path, "cannot map (file_reads: mmap)", errno);
  bytes_ = {static_cast<const std::byte*>(address), file.size};
  const int advice = order == ReadOrder::kRandom ? MADV_RANDOM : MADV_SEQUENTIAL;
  static_cast<void>(::madvise(address, file.size, advice));
}

MappedFile::Memory::~Memory() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace feedrate
