// Where HDF5 keeps the chunks of a dataset.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace feedrate {

struct Hdf5Chunk {
  std::uint64_t address = 0;           ///< in the file
  std::uint64_t size = 0;              ///< as stored
  std::uint32_t left_out_filters = 0;  ///< a bit each, the first filter's lowest
};

/// A dataset that is divided along its first dimension only.
struct Hdf5ChunkedDataset {
  std::string path;
  std::string name;
  std::size_t rank = 1;
  std::size_t chunk_length = 1;  ///< along the first dimension
  std::size_t chunks = 0;
};

/// All chunks in order, in a time proportional to their number; empty if one was never written or
/// cannot be found. To be called in an Hdf5Session. Throws FormatError if the dataset cannot be
/// opened.
[[nodiscard]] std::optional<std::vector<Hdf5Chunk>> list_hdf5_chunks(
    const Hdf5ChunkedDataset& dataset);

}  // namespace feedrate
