// SPDX-License-Identifier: Apache-2.0
// Writes HDF5 files of images: encoded, or as chunked or contiguous pixels.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

// All functions throw ConfigError if `path` exists or `options` lacks a value that they need.

[[nodiscard]] std::unique_ptr<RecordWriter> create_hdf5_encoded_writer(
    const std::filesystem::path& path, const WriterOptions& options);

/// Needs options.shape; `options.chunk` samples a chunk.
[[nodiscard]] std::unique_ptr<RecordWriter> create_hdf5_decoded_writer(
    const std::filesystem::path& path, const WriterOptions& options);

/// Needs options.shape and options.records.
[[nodiscard]] std::unique_ptr<RecordWriter> create_hdf5_contiguous_writer(
    const std::filesystem::path& path, const WriterOptions& options);

}  // namespace feedrate
