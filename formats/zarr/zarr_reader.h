// SPDX-License-Identifier: Apache-2.0
// Reads Zarr groups of pixels, of feedrate or others, in chunks along the samples. See
// docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if the group is damaged, has no array of images, or uses an unsupported
/// feature.
[[nodiscard]] std::unique_ptr<RecordReader> open_zarr_reader(const std::filesystem::path& path,
                                                             const ReadOptions& options);

}  // namespace feedrate
