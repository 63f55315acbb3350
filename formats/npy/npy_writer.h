// SPDX-License-Identifier: Apache-2.0
// Writes a folder of .npy files, as numpy.save() would.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// Takes pixels, of any shape. Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_npy_writer(const std::filesystem::path& path,
                                                              const WriterOptions& options);

}  // namespace feedrate
