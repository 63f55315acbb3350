// SPDX-License-Identifier: Apache-2.0
// Writes a folder of .npz files, as numpy.savez() would.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// Takes opaque bytes. Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_npz_writer(const std::filesystem::path& path,
                                                              const WriterOptions& options);

}  // namespace feedrate
