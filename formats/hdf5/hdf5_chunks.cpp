#include "formats/hdf5/hdf5_chunks.h"

#include <array>

#include <hdf5.h>

#include "core/error.h"
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_contents.h"
#include "formats/hdf5/hdf5_probe.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostDimensions = 4;

Hdf5Handle open_chunked(hid_t file, const Hdf5ChunkedDataset& dataset) {
  Hdf5Handle opened(H5Dopen2(file, dataset.name.c_str(), H5P_DEFAULT), H5Dclose);
  check_hdf5_read(opened.get(), {.file = dataset.path}, "cannot open the images");
  return opened;
}

#if H5_VERSION_GE(1, 12, 3)

struct Found {
  const Hdf5ChunkedDataset* dataset;
  std::vector<Hdf5Chunk> chunks;
  std::size_t known = 0;
};

int note_chunk(const hsize_t* offset, unsigned left_out, haddr_t address, hsize_t size,
               void* context) {
  auto& found = *static_cast<Found*>(context);
  const std::size_t number = offset[0] / found.dataset->chunk_length;
  if (number >= found.chunks.size()) return H5_ITER_CONT;
  if (found.chunks[number].size == 0) ++found.known;
  found.chunks[number] = {address, size, left_out};
  return H5_ITER_CONT;
}

std::optional<std::vector<Hdf5Chunk>> list(const Hdf5ChunkedDataset& dataset) {
  const Hdf5Handle file = open_hdf5_file(dataset.path);
  const Hdf5Handle opened = open_chunked(file.get(), dataset);
  Found found{&dataset, std::vector<Hdf5Chunk>(dataset.chunks)};
  if (H5Dchunk_iter(opened.get(), H5P_DEFAULT, note_chunk, &found) < 0) return std::nullopt;
  if (found.known < dataset.chunks) return std::nullopt;
  return std::move(found.chunks);
}

#else

// H5Dget_chunk_info() and H5Dget_chunk_info_by_coord() of these versions walk over all chunks
// before the one that is asked for. H5Dread_chunk() looks it up in the index, and a file driver of
// ours sees from where it wants to read.
std::optional<std::vector<Hdf5Chunk>> list(const Hdf5ChunkedDataset& dataset) {
  RawRead last;
  const Hdf5Probe file(dataset.path, last);
  const Hdf5Handle opened = open_chunked(file.get(), dataset);
  std::vector<Hdf5Chunk> chunks;
  for (std::size_t i = 0; i < dataset.chunks; ++i) {
    const std::array<hsize_t, kMostDimensions> offset{i * dataset.chunk_length};
    std::uint32_t left_out = 0;
    std::byte nothing{};  // The driver writes no data there.
    last = {};
    if (H5Dread_chunk(opened.get(), H5P_DEFAULT, offset.data(), &left_out, &nothing) < 0 ||
        last.size == 0) {
      return std::nullopt;
    }
    chunks.push_back({last.address, last.size, left_out});
  }
  return chunks;
}

#endif

}  // namespace

std::optional<std::vector<Hdf5Chunk>> list_hdf5_chunks(const Hdf5ChunkedDataset& dataset) {
  if (dataset.rank > kMostDimensions) return std::nullopt;
  return list(dataset);
}

}  // namespace feedrate
