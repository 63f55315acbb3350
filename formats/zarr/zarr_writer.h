// SPDX-License-Identifier: Apache-2.0
// Writes Zarr groups of pixels, laid out as zarr-python does. See docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// Needs options.shape; `options.chunk` samples a chunk, compressed by `options.codec`. Throws
/// ConfigError if `path` exists or an option is not valid.
[[nodiscard]] std::unique_ptr<RecordWriter> create_zarr_writer(const std::filesystem::path& path,
                                                               const WriterOptions& options);

}  // namespace feedrate
