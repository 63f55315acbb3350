// SPDX-License-Identifier: Apache-2.0
// Writes an LMDB database in feedrate's layout, as a folder that lmdb.open(path) opens.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_lmdb_writer(const std::filesystem::path& path,
                                                               const WriterOptions& options);

}  // namespace feedrate
