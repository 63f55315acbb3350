// SPDX-License-Identifier: Apache-2.0
// Contents of an HDF5 file: the dataset of images, its shape and storage, labels and keys.
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
  std::size_t rank = 1;                     ///< 1 if encoded, 3 if N×H×W, 4 if N×H×W×C
  ImageShape shape;                         ///< of one record, unless encoded
  std::vector<std::uint64_t> chunk;         ///< empty if not chunked
  std::optional<std::uint64_t> first_byte;  ///< offset of contiguous, unconverted pixels
  std::vector<std::int64_t> labels;         ///< one per record; kNoLabel if none
  std::vector<std::string> keys;            ///< one per record
  std::vector<std::string> class_names;
  std::vector<std::string> unread;  ///< names of the other datasets in the root group
};

/// Opens a file for reading, without file locks, because some read-only filesystems lack them.
/// Throws FormatError if it is no HDF5 file or is truncated.
[[nodiscard]] Hdf5Handle open_hdf5_file(const std::string& path);

/// Throws FormatError, listing the datasets, if none of them holds images.
[[nodiscard]] Hdf5Contents read_hdf5_contents(const std::string& path);

}  // namespace feedrate
