// SPDX-License-Identifier: Apache-2.0
// Contents of a Zarr group: the array of images, the labels and keys.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/image_shape.h"
#include "formats/zarr/zarr_array.h"

namespace feedrate {

struct ZarrContents {
  int version = 3;
  ZarrArray images;
  ImageShape shape = {};                  ///< of one record
  std::vector<std::int64_t> labels = {};  ///< one per record; empty if none
  std::vector<std::string> keys = {};     ///< one per record; empty if records are numbered
  std::vector<std::string> class_names = {};
  std::vector<std::string> unread = {};  ///< names of the other arrays in the group
};

/// feedrate's array of keys: N×L, uint8, each row UTF-8 and padded with zeros.
inline constexpr const char* kZarrKeys = "key";
inline constexpr std::uint64_t kLongestZarrKey = 4096;

/// Throws FormatError, listing the arrays, if none of them holds images.
[[nodiscard]] ZarrContents read_zarr_contents(const std::filesystem::path& root);

}  // namespace feedrate
