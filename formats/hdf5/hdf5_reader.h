// SPDX-License-Identifier: Apache-2.0
// Reads HDF5 files of images, encoded or as pixels, of feedrate or others. See docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// The file's kind decides format(). Throws FormatError if the file is damaged or has no dataset of
/// images.
[[nodiscard]] std::unique_ptr<RecordReader> open_hdf5_reader(const std::filesystem::path& path,
                                                             const ReadOptions& options);

}  // namespace feedrate
