// SPDX-License-Identifier: Apache-2.0
#include "formats/lmdb/lmdb_error.h"

#include <fmt/format.h>
#include <lmdb.h>

#include "core/error.h"

namespace feedrate {

void check_lmdb(int code, const std::string& path, std::string_view action) {
  if (code == MDB_SUCCESS) return;
  if (code > 0) throw SystemError(path, action, code);
  throw FormatError({.file = path}, fmt::format("{}: {}", action, mdb_strerror(code)));
}

}  // namespace feedrate
