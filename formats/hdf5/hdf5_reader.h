// SPDX-License-Identifier: Apache-2.0
// An HDF5 file of images, encoded or as pixels, our own or another's. See docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// format() tells which row of the registry the file is. Throws FormatError if it is damaged or has
/// no dataset of images.
[[nodiscard]] std::unique_ptr<RecordReader> open_hdf5_reader(const std::filesystem::path& path,
                                                             const ReadOptions& options);

}  // namespace feedrate
