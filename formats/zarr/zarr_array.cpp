// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/zarr_array.h"

#include <fmt/format.h>

namespace feedrate {

std::size_t row_bytes(const ZarrArray& array) noexcept {
  std::size_t bytes = array.element_bytes;
  for (std::size_t i = 1; i < array.shape.size(); ++i) bytes *= array.shape[i];
  return bytes;
}

std::string chunk_path(const ZarrArray& array, std::uint64_t file) {
  return fmt::format("{}{}{}", array.chunk_prefix, file, array.chunk_suffix);
}

std::string to_string(const ZarrArray& array) {
  if (array.shape.empty()) return array.type + " scalar";
  return fmt::format("{} {}", array.type, fmt::join(array.shape, "×"));
}

}  // namespace feedrate
