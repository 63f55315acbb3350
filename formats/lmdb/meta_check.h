// SPDX-License-Identifier: Apache-2.0
// Checks the meta pages of a database file before LMDB maps it. LMDB does not compare them with the
// file's size: reading a truncated file would end the process with SIGBUS.
#pragma once
#include <string>

#include "core/host/file.h"

namespace feedrate {

/// Checks magic, version, page size, and that the file has all pages of the newer meta page. Throws
/// FormatError naming `path` and the offset.
void check_lmdb_meta(const OpenFile& file, const std::string& path);

}  // namespace feedrate
