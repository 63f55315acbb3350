// Values of variable length in an HDF5 file: references to them, and the values in its global
// heaps, read without HDF5 (HDF5 File Format Specification 3.0, section III.E and IV.B).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units.h"
#include "formats/batch_extents.h"
#include "formats/hdf5/hdf5_elements.h"
#include "formats/packed_file.h"

namespace feedrate {

/// In a file whose addresses and lengths have 8 bytes.
inline constexpr std::size_t kHeapReferenceBytes = 16;

struct HeapReference {
  std::uint64_t collection = 0;  ///< address of the heap that holds it
  std::uint64_t expected = 0;    ///< where its object should begin, 0 where that is not known
  std::uint32_t size = 0;        ///< of the value
  std::uint32_t object = 0;      ///< number of its object in the collection
};

/// All `count` references of a dataset. Where a collection was filled in the dataset's order, as
/// writers do, the sizes say where each object begins.
[[nodiscard]] std::vector<HeapReference> read_heap_references(Hdf5Elements& dataset,
                                                              std::size_t count);

/// Used by one thread. What it is made of outlives it.
class HeapValues {
 public:
  HeapValues(const PackedFile& file, const std::vector<HeapReference>& references)
      : file_(file), references_(references) {}

  /// Valid until the next call. REQUIRES: index < references.size()
  /// Throws FormatError if the value is not where its reference says or has another size, or if it
  /// is empty.
  [[nodiscard]] Bytes read(std::size_t index);

  /// Where read(index) reads, unless it has to search.
  void expect(std::size_t index, BatchExtents& extents) const;

 private:
  [[nodiscard]] Bytes object_at(std::uint64_t offset, const HeapReference& wanted,
                                std::size_t index);
  [[nodiscard]] Bytes search(const HeapReference& wanted, std::size_t index);

  const PackedFile& file_;
  const std::vector<HeapReference>& references_;
  PackedReads reads_;
};

}  // namespace feedrate
