// SPDX-License-Identifier: Apache-2.0
// Writes uncompressed tar shards for WebDataset.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// A path that ends in ".tar" becomes one tar file, any other a folder of shards of about
/// `options.shard_bytes`. Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_tar_writer(const std::filesystem::path& path,
                                                              const WriterOptions& options);

}  // namespace feedrate
