// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/test_file.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/page_cache.h"
#include "core/random.h"

namespace feedrate {
namespace {

constexpr double kStillCold = 0.01;
constexpr double kWarmEnough = 0.99;
constexpr std::size_t kPiece = std::size_t{1} << 20;

void write_noise(const std::filesystem::path& path, std::uint64_t size,
                 const std::stop_token& stop) {
  const std::string name = path.string();
  const UniqueFd file = create_file(name);
  std::vector<std::uint64_t> piece(kPiece / sizeof(std::uint64_t));
  RandomStream random(1);
  for (std::uint64_t written = 0; written < size; written += kPiece) {
    if (stop.stop_requested()) throw Cancelled();
    std::generate(piece.begin(), piece.end(), [&] { return random.next(); });
    const std::uint64_t rest = std::min<std::uint64_t>(kPiece, size - written);
    write_all(file.get(), std::as_bytes(std::span(piece)).first(rest), name);
  }
}

}  // namespace

TestFile::TestFile(const std::filesystem::path& path, std::uint64_t size,
                   const std::stop_token& stop)
    : path_(path), name_(path.string()), size_(size) {
  write_noise(path, size, stop);
  sync_path(path);
  file_ = open_regular_file(name_).fd;
}

void TestFile::read(std::uint64_t block, MutableBytes out) const {
  if (read_at(file_.get(), out, block * out.size(), name_) != out.size()) {
    throw Error(fmt::format("{}: ends early; another program may have changed it", name_));
  }
}

double TestFile::drop() {
  is_read_in_order_ = false;
  drop_page_cache({&path_, 1});
  return resident_share({&path_, 1});
}

// A file that was written in pieces, or read randomly, is cached in pieces of other sizes, which
// alone makes reading it up to half as slow again.
double TestFile::fill(const std::stop_token& stop) {
  if (!is_read_in_order_) drop_page_cache({&path_, 1});
  fill_page_cache({&path_, 1}, stop);
  is_read_in_order_ = true;
  return resident_share({&path_, 1});
}

std::string why_not_cold(double share) {
  if (std::isnan(share)) return "possibly not cold: the kernel does not report what is cached";
  if (share <= kStillCold) return {};
  return fmt::format("not cold: {:.0f} % stayed in the page cache", 100.0 * share);
}

std::string why_not_warm(double share) {
  if (std::isnan(share) || share >= kWarmEnough) return {};
  return fmt::format("not warm: only {:.0f} % is in the page cache", 100.0 * share);
}

}  // namespace feedrate
