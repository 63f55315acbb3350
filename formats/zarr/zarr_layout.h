// SPDX-License-Identifier: Apache-2.0
// Makes the JSON files of the groups and arrays that feedrate writes. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/zarr/zarr_codecs.h"

namespace feedrate {

/// Name and text of a file in the folder that it describes.
using ZarrFile = std::pair<std::string, std::string>;

/// An array to be written, in chunks of `chunk` rows.
struct ZarrPlan {
  int version = 3;  ///< version of the storage format, 2 or 3
  ZarrCompression compression = kZarrCompressions.front();
  std::string_view type;  ///< "uint8", "int64"
  std::vector<std::uint64_t> shape;
  std::uint64_t chunk = 1;
};

[[nodiscard]] std::vector<ZarrFile> zarr_group_files(int version,
                                                     const std::vector<std::string>& class_names);
[[nodiscard]] ZarrFile zarr_array_file(const ZarrPlan& plan);

[[nodiscard]] std::size_t element_bytes(const ZarrPlan& plan) noexcept;

/// Path of a chunk's file in the array's folder, as zarr-python 3 and 2 name it: "c/7/0/0/0" and
/// "7.0.0.0".
[[nodiscard]] std::string zarr_chunk_name(const ZarrPlan& plan, std::uint64_t number);

}  // namespace feedrate
