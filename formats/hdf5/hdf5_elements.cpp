#include "formats/hdf5/hdf5_elements.h"

#include <fmt/format.h>

#include "core/error.h"
#include "formats/hdf5/hdf5_lz4.h"

namespace feedrate {
namespace {

/// Deflate packs at most 1032 to 1, LZ4 255 to 1.
constexpr std::uint64_t kMaxPacking = 1032;

// A sum that no file is long enough for stands for one that does not fit.
std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

}  // namespace

Hdf5Elements::Hdf5Elements(const PackedFile& file, const Hdf5Places& places)
    : file_(file), places_(places) {}

Bytes Hdf5Elements::read(std::size_t index) {
  const std::size_t number = index / places_.chunk_elements;
  const std::size_t begin = index % places_.chunk_elements * places_.element_bytes;
  const Hdf5Places::Chunk& chunk = places_.chunks[number];
  if (chunk.packed == 0) {
    return fetch(saturating_sum(chunk.address, begin), places_.element_bytes, index);
  }
  if (number != held_) unpack(number, index);
  return chunk_.subspan(begin, places_.element_bytes);
}

void Hdf5Elements::expect(std::size_t index, BatchExtents& extents) const {
  const Hdf5Places::Chunk& chunk = places_.chunks[index / places_.chunk_elements];
  if (chunk.packed != 0) {
    feedrate::expect(file_, chunk.address, chunk.packed, extents);
    return;
  }
  const std::size_t begin = index % places_.chunk_elements * places_.element_bytes;
  feedrate::expect(file_, saturating_sum(chunk.address, begin), places_.element_bytes, extents);
}

void Hdf5Elements::unpack(std::size_t number, std::size_t index) {
  held_ = kNone;
  const Hdf5Places::Chunk& chunk = places_.chunks[number];
  const std::size_t size = places_.chunk_elements * places_.element_bytes;
  if (size / kMaxPacking > chunk.packed) {
    fail(index, chunk.address,
         fmt::format("a chunk of {} bytes is said to be packed in {}", size, chunk.packed));
  }
  const Bytes packed = fetch(chunk.address, chunk.packed, index);
  const MutableBytes target = unpacked_.take(size);
  if (!decompress(packed, target)) {
    fail(index, chunk.address, "the chunk cannot be unpacked; it is damaged");
  }
  chunk_ = target;
  held_ = number;
}

bool Hdf5Elements::decompress(Bytes packed, MutableBytes target) const noexcept {
  return places_.packing == Hdf5Packing::kLz4 ? unpack_hdf5_lz4(packed, target)
                                              : inflater_.inflate(packed, target);
}

Bytes Hdf5Elements::fetch(std::uint64_t offset, std::uint64_t size, std::size_t index) {
  const std::uint64_t end = file_.file.size;
  if (size > end || offset > end - size) {
    fail(index, offset, fmt::format("{} bytes shall lie here, but the file has {}", size, end));
  }
  const Bytes bytes = stored_.read(file_, offset, size, index);
  if (bytes.size() < size) {
    fail(index, offset, "the file ends inside the record; it was truncated after it was opened");
  }
  return bytes;
}

void Hdf5Elements::fail(std::size_t index, std::uint64_t offset, std::string_view problem) const {
  throw FormatError({.file = file_.path, .record = index, .offset = offset}, problem);
}

}  // namespace feedrate
