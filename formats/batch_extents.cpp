#include "formats/batch_extents.h"

#include <algorithm>
#include <tuple>

#include <fcntl.h>

#include "formats/file.h"

namespace feedrate {
namespace {

void want(int fd, std::uint64_t begin, std::uint64_t end) noexcept {
  static_cast<void>(::posix_fadvise(fd, static_cast<off_t>(begin), static_cast<off_t>(end - begin),
                                    POSIX_FADV_WILLNEED));
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
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() >= 0) want(fd.get(), 0, 0);
}

}  // namespace feedrate
