// SPDX-License-Identifier: Apache-2.0
// Reads the central directory of a ZIP file. Never extracts anything.
#pragma once
#include <string>
#include <vector>

#include "formats/packed_file.h"
#include "formats/zip/zip_layout.h"

namespace feedrate {

/// The members, in the order of the directory; each is within the file. Throws FormatError if the
/// file is truncated, damaged, split over several files, or no ZIP file.
[[nodiscard]] std::vector<ZipMember> read_zip_directory(const PackedFile& file, PackedReads& reads);

}  // namespace feedrate
