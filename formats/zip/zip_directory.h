// SPDX-License-Identifier: Apache-2.0
// The members of a ZIP file, from its central directory. Nothing is ever extracted.
#pragma once
#include <string>
#include <vector>

#include "formats/zip/zip_layout.h"
#include "host/file.h"

namespace feedrate {

/// In the order of the directory. Throws FormatError if the file is truncated, damaged, split over
/// several files, or no ZIP file; every member is within the file.
[[nodiscard]] std::vector<ZipMember> read_zip_directory(const OpenFile& file,
                                                        const std::string& path);

}  // namespace feedrate
