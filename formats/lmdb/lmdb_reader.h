// SPDX-License-Identifier: Apache-2.0
// An LMDB database of encoded images, of our own layout or with an image as each value. See
// docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// `path` is a folder with data.mdb or the database file itself. Payloads are views of the map,
/// which live as long as the cursor. Throws FormatError if it is damaged or holds no image.
[[nodiscard]] std::unique_ptr<RecordReader> open_lmdb_reader(const std::filesystem::path& path,
                                                             const ReadOptions& options);

}  // namespace feedrate
