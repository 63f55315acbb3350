// SPDX-License-Identifier: Apache-2.0
// Folders of .npz files: opaque bytes, a file a record.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if there is no .npz file.
[[nodiscard]] std::unique_ptr<RecordReader> open_npz_reader(const std::filesystem::path& path,
                                                            const ReadOptions& options);

/// Whether `path` is a folder in which the first file of those that could be records is a .npz
/// file; few are looked at.
[[nodiscard]] bool looks_like_npz(const std::filesystem::path& path);

}  // namespace feedrate
