// SPDX-License-Identifier: Apache-2.0
// Reads the metadata of a Zarr group and its arrays: zarr.json of version 3; .zgroup, .zarray and
// .zattrs of version 2.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "formats/zarr/zarr_array.h"

namespace feedrate {

struct ZarrNode {
  std::string name;
  ZarrArray array;           ///< with a problem: type and shape only, if known
  std::string problem = {};  ///< why its data cannot be read: a FormatError's text
};

struct ZarrGroup {
  int version = 3;
  std::vector<ZarrNode> arrays = {};  ///< arrays directly in the group, sorted by name
  std::vector<std::string> class_names = {};
};

/// Sizes of arrays without problem are plausible: rows and compressed chunks have at most
/// kMaxRecordBytes, and no product overflows. Throws FormatError if there is no group at `root`.
[[nodiscard]] ZarrGroup read_zarr_group(const std::filesystem::path& root);
/// Arrays of nested groups, named by their paths, for messages. Searches 100 groups at most.
[[nodiscard]] std::vector<ZarrNode> nested_zarr_arrays(const std::filesystem::path& root);

/// Whether `path` is a folder that has the metadata of a group or array, or is named *.zarr.
[[nodiscard]] bool looks_like_zarr(const std::filesystem::path& path);

}  // namespace feedrate
