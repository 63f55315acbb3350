// SPDX-License-Identifier: Apache-2.0
// The meta pages of an LMDB database. What lies behind them is LMDB's own to read: it trusts it,
// and is given no damaged pages here.
#include "core/host/file.h"
#include "formats/lmdb/meta_check.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool lmdb(Bytes input) {
  const MemoryFile file(input);
  return accepts([&] { check_lmdb_meta(open_regular_file(file.path()), file.path()); });
}

}  // namespace feedrate::fuzz
