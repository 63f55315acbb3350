// SPDX-License-Identifier: Apache-2.0
// Reads folders of .npz files: opaque bytes, one record per file.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if there is no .npz file.
[[nodiscard]] std::unique_ptr<RecordReader> open_npz_reader(const std::filesystem::path& path,
                                                            const ReadOptions& options);

/// Whether `path` is a folder whose first possible record, among 1000 entries, is a .npz file.
[[nodiscard]] bool looks_like_npz(const std::filesystem::path& path);

}  // namespace feedrate
