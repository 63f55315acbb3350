// SPDX-License-Identifier: Apache-2.0
// What an HDF5 file holds: which dataset is the images, its shape and storage, the labels and keys.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/image_shape.h"
#include "formats/hdf5/hdf5_call.h"

namespace feedrate {

enum class Hdf5Kind { kEncoded, kDecoded, kContiguous };

struct Hdf5Contents {
  Hdf5Kind kind = Hdf5Kind::kEncoded;
  std::string images;  ///< name of the dataset
  std::size_t records = 0;
  std::size_t rank = 1;                     ///< of the dataset: 1 encoded, 3 N×H×W, 4 N×H×W×C
  ImageShape shape;                         ///< of one record, only decoded
  std::vector<std::uint64_t> chunk;         ///< empty if it is not chunked
  std::optional<std::uint64_t> first_byte;  ///< of contiguous pixels that HDF5 does not convert
  std::vector<std::int64_t> labels;         ///< one per record; kNoLabel where there are none
  std::vector<std::string> keys;            ///< one per record
  std::vector<std::string> class_names;
  std::vector<std::string> unread;  ///< names of the other datasets in the root group
};

/// Opens for reading without file locks: no process writes during a benchmark, and some read-only
/// filesystems know no locks. Throws FormatError if it is no HDF5 file or is truncated.
[[nodiscard]] Hdf5Handle open_hdf5_file(const std::string& path);

/// Throws FormatError if there is no fitting dataset, listing what there is.
[[nodiscard]] Hdf5Contents read_hdf5_contents(const std::string& path);

}  // namespace feedrate
