// What reads HDF5's raw data and heaps without HDF5, on whatever bytes there are; no call of the
// library. The input begins with where the elements of a dataset lie; the rest is the file.
#include "formats/hdf5/hdf5_heap.h"

#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

Hdf5Places take_places(Decisions& decisions, bool are_references) {
  Hdf5Places places;
  places.chunk_elements = 1 + decisions.below(16);
  places.element_bytes = are_references ? kHeapReferenceBytes : 1 + decisions.below(256);
  places.packing = decisions.flag() ? Hdf5Packing::kLz4 : Hdf5Packing::kZlib;
  const std::size_t chunks = 1 + decisions.below(4);
  for (std::size_t i = 0; i < chunks; ++i) {
    Hdf5Places::Chunk chunk;
    chunk.address = decisions.number(2);
    if (decisions.flag()) chunk.packed = decisions.number(2);
    places.chunks.push_back(chunk);
  }
  return places;
}

bool reads_elements(Hdf5Elements& elements, std::size_t count) {
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    any = accepts([&] { touch(elements.read(i)); }) || any;
  }
  return any;
}

bool reads_values(const PackedFile& file, Hdf5Elements& elements, std::size_t count) {
  bool any = false;
  accepts([&] {
    const std::vector<HeapReference> references = read_heap_references(elements, count);
    HeapValues values(file, references);
    for (std::size_t i = 0; i < count; ++i) {
      any = accepts([&] { touch(values.read(i)); }) || any;
    }
  });
  return any;
}

}  // namespace

bool hdf5_heap(Bytes input) {
  Decisions decisions(input);
  const bool are_references = !decisions.flag();
  const Hdf5Places places = take_places(decisions, are_references);
  const MemoryFile memory(decisions.rest());
  const PackedFile file{memory.path(), open_regular_file(memory.path())};
  Hdf5Elements elements(file, places);
  const std::size_t count = places.chunk_elements * places.chunks.size();
  return are_references ? reads_values(file, elements, count) : reads_elements(elements, count);
}

}  // namespace feedrate::fuzz
