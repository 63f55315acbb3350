// The elements of an HDF5 dataset, read at their addresses in the file without HDF5.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "formats/batch_extents.h"
#include "formats/file.h"
#include "formats/inflate.h"
#include "formats/packed_file.h"

namespace feedrate {

/// How chunks are packed: as a zlib stream, or as hdf5_lz4.h says.
enum class Hdf5Packing { kZlib, kLz4 };

/// Where the elements lie: one after the other in each chunk, all chunks alike. A plain value.
struct Hdf5Places {
  struct Chunk {
    std::uint64_t address = 0;  ///< in the file
    std::uint64_t packed = 0;   ///< bytes that it is packed in, 0 where it is not
  };
  std::size_t element_bytes = 0;
  std::size_t chunk_elements = 1;
  Hdf5Packing packing = Hdf5Packing::kZlib;  ///< of the chunks that are packed
  /// REQUIRES: element_bytes * chunk_elements * chunks.size() fits 64 bits
  std::vector<Chunk> chunks = {};
};

/// Used by one thread. What it is made of outlives it.
class Hdf5Elements {
 public:
  Hdf5Elements(const PackedFile& file, const Hdf5Places& places);

  /// Valid until the next call. REQUIRES: `index` is in one of the chunks
  /// Throws FormatError for a place outside the file and for a chunk that cannot be unpacked.
  [[nodiscard]] Bytes read(std::size_t index);

  /// Where read(index) reads.
  void expect(std::size_t index, BatchExtents& extents) const;

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  void unpack(std::size_t chunk, std::size_t index);
  [[nodiscard]] bool decompress(Bytes packed, MutableBytes target) const noexcept;
  [[nodiscard]] Bytes fetch(std::uint64_t offset, std::uint64_t size, std::size_t index);
  [[noreturn]] void fail(std::size_t index, std::uint64_t offset, std::string_view problem) const;

  const PackedFile& file_;
  const Hdf5Places& places_;
  PackedReads stored_;
  ReadBuffer unpacked_;
  Inflater inflater_;
  Bytes chunk_;  ///< in unpacked_, of chunk `held_`
  std::size_t held_ = kNone;
};

}  // namespace feedrate
