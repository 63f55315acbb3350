// SPDX-License-Identifier: Apache-2.0
// Reads LMDB databases of encoded images, in feedrate's layout or with an image per value. See
// docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// `path` is a folder with data.mdb, or the database file itself. Payloads are views of the
/// mapping, valid as long as the cursor. Throws FormatError if the database is damaged or has no
/// image.
[[nodiscard]] std::unique_ptr<RecordReader> open_lmdb_reader(const std::filesystem::path& path,
                                                             const ReadOptions& options);

}  // namespace feedrate
