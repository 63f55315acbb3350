// SPDX-License-Identifier: Apache-2.0
#include "formats/batch_extents.h"

#include <algorithm>
#include <tuple>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/file.h"

namespace feedrate {
namespace {

void want(int fd, std::uint64_t begin, std::uint64_t end) noexcept {
  for_wanted_pieces(begin, end, [&](std::uint64_t piece, std::uint64_t size) {
    static_cast<void>(::posix_fadvise(fd, static_cast<off_t>(piece), static_cast<off_t>(size),
                                      POSIX_FADV_WILLNEED));
  });
}

}  // namespace

std::size_t BatchExtents::ask() noexcept {
  std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) {
    return std::tie(a.fd, a.begin) < std::tie(b.fd, b.begin);
  });
  std::size_t pieces = 0;
  for (auto next = extents_.begin(); next != extents_.end(); ++pieces) {
    Extent piece = *next++;
    while (next != extents_.end() && next->fd == piece.fd &&
           next->begin <= piece.end + kJoinedGap) {
      piece.end = std::max(piece.end, next++->end);
    }
    want(piece.fd, piece.begin, piece.end);
  }
  extents_.clear();
  return pieces;
}

void want_file(const std::string& path) noexcept {
  try {
    const OpenFile file = open_regular_file(path);
    want(file.fd.get(), 0, file.size);
  } catch (const Error&) {  // A later read reports the error.
  }
}

void want_mapped(Bytes bytes) noexcept {
  if (bytes.empty()) return;
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t into_page = reinterpret_cast<std::uintptr_t>(bytes.data()) % page;
  auto* const begin = const_cast<std::byte*>(bytes.data()) - into_page;
  for_wanted_pieces(0, bytes.size() + into_page, [&](std::uint64_t at, std::uint64_t size) {
    static_cast<void>(::madvise(begin + at, size, MADV_WILLNEED));
  });
}

void advise(int fd, ReadOrder order) noexcept {
  const int advice = order == ReadOrder::kRandom ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL;
  static_cast<void>(::posix_fadvise(fd, 0, 0, advice));
}

}  // namespace feedrate
