// SPDX-License-Identifier: Apache-2.0
// Reads the JSON files of a Zarr group and of the arrays in it: zarr.json of version 3; .zgroup,
// .zarray and .zattrs of version 2.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "formats/zarr/zarr_array.h"

namespace feedrate {

struct ZarrNode {
  std::string name;
  ZarrArray array;           ///< its type and shape at least, where they can be read
  std::string problem = {};  ///< why its data cannot be read: a FormatError's whole text
};

struct ZarrGroup {
  int version = 3;
  std::vector<ZarrNode> arrays = {};  ///< those in the group itself, by name
  std::vector<std::string> class_names = {};
};

/// Of an array without problem, every size is plausible: rows and compressed chunks have at most
/// kMaxRecordBytes, and no product overflows. Throws FormatError if there is no group at `root`.
[[nodiscard]] ZarrGroup read_zarr_group(const std::filesystem::path& root);
/// The arrays in groups of the group at `root`, by their paths, for messages: some of them where
/// there are many.
[[nodiscard]] std::vector<ZarrNode> nested_zarr_arrays(const std::filesystem::path& root);

/// Whether `path` is a folder with the metadata of a group or an array, or is named as one.
[[nodiscard]] bool looks_like_zarr(const std::filesystem::path& path);

}  // namespace feedrate
