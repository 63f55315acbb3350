// SPDX-License-Identifier: Apache-2.0
// The JSON files of the groups and arrays that are written here. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/zarr/zarr_codecs.h"

namespace feedrate {

/// The name of a file in the folder that it describes, and its text.
using ZarrFile = std::pair<std::string, std::string>;

/// An array to be written: the chunks are of `chunk` rows.
struct ZarrPlan {
  int version = 3;  ///< of the storage format, 2 or 3
  ZarrCompression compression = kZarrCompressions.front();
  std::string_view type;  ///< "uint8", "int64"
  std::vector<std::uint64_t> shape;
  std::uint64_t chunk = 1;
};

[[nodiscard]] std::vector<ZarrFile> zarr_group_files(int version,
                                                     const std::vector<std::string>& class_names);
[[nodiscard]] ZarrFile zarr_array_file(const ZarrPlan& plan);

[[nodiscard]] std::size_t element_bytes(const ZarrPlan& plan) noexcept;

/// A chunk's file below the array's folder: "c/7/0/0/0" or "7.0.0.0", as zarr-python 3 and 2 name
/// it.
[[nodiscard]] std::string zarr_chunk_name(const ZarrPlan& plan, std::uint64_t number);

}  // namespace feedrate
