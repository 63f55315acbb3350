// Looks through a database file before LMDB maps it. LMDB trusts its pages: a file that is too
// short or damaged would end the process with SIGBUS or SIGSEGV, not with an error.
#pragma once
#include <cstdint>
#include <string>

#include "formats/file.h"

namespace feedrate {

/// Reads the meta pages and all pages of keys, not the records in pages of their own. Returns where
/// in the file the value of the first key begins, 0 where there is none. Throws FormatError naming
/// `path` and the offset.
[[nodiscard]] std::uint64_t check_lmdb_pages(const OpenFile& file, const std::string& path);

}  // namespace feedrate
