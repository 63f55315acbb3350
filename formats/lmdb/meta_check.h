// SPDX-License-Identifier: Apache-2.0
// Looks at the meta pages of a database file before LMDB maps it. LMDB does not compare them with
// the file's length: one that was cut would end the process with SIGBUS, not with an error.
#pragma once
#include <string>

#include "core/host/file.h"

namespace feedrate {

/// Checks magic, version, size of a page, and that the file is as long as the newer meta page says.
/// Throws FormatError naming `path` and the offset.
void check_lmdb_meta(const OpenFile& file, const std::string& path);

}  // namespace feedrate
