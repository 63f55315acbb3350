// SPDX-License-Identifier: Apache-2.0
// The meta pages of an LMDB database. LMDB reads and trusts the other pages, so that the target
// gives it none.
#include "core/host/file.h"
#include "formats/lmdb/lmdb_database.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool lmdb(Bytes input) {
  const MemoryFile file(input);
  return accepts([&] { check_lmdb_meta(open_regular_file(file.path()), file.path()); });
}

}  // namespace feedrate::fuzz
