// SPDX-License-Identifier: Apache-2.0
// Uncompressed tar shards with WebDataset's naming rule, read at random through an index.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// `path` is one tar file or a folder of shards. Throws FormatError if a shard is damaged or
/// compressed, or if no image is found.
[[nodiscard]] std::unique_ptr<RecordReader> open_tar_reader(const std::filesystem::path& path,
                                                            const ReadOptions& options);

/// Whether a file's name ends in ".tar".
[[nodiscard]] bool is_tar_name(const std::filesystem::path& file);

}  // namespace feedrate
