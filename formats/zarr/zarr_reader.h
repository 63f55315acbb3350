// SPDX-License-Identifier: Apache-2.0
// A Zarr group of images as pixels, in chunks along the samples, our own or another's. See
// docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if it is damaged, has no array of images, or is stored in a way that is not
/// read here.
[[nodiscard]] std::unique_ptr<RecordReader> open_zarr_reader(const std::filesystem::path& path,
                                                             const ReadOptions& options);

}  // namespace feedrate
