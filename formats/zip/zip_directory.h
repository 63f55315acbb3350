// SPDX-License-Identifier: Apache-2.0
// The members of a ZIP file, from its central directory. Nothing is ever extracted.
#pragma once
#include <string>
#include <vector>

#include "formats/packed_file.h"
#include "formats/zip/zip_layout.h"

namespace feedrate {

/// In the order of the directory. Throws FormatError if the file is truncated, damaged, split over
/// several files, or no ZIP file; every member is within the file.
[[nodiscard]] std::vector<ZipMember> read_zip_directory(const PackedFile& file, PackedReads& reads);

}  // namespace feedrate
