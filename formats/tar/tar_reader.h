// SPDX-License-Identifier: Apache-2.0
// Reads uncompressed tar shards with WebDataset's naming rule, at random through an index.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// `path` is a tar file or a folder of shards. Throws FormatError if a shard is damaged or
/// compressed, or if there is no image.
[[nodiscard]] std::unique_ptr<RecordReader> open_tar_reader(const std::filesystem::path& path,
                                                            const ReadOptions& options);

[[nodiscard]] bool is_tar_name(const std::filesystem::path& file);

}  // namespace feedrate
