// An LMDB database: LMDB trusts its pages, so all that it would stumble over must be found before.
#include "formats/lmdb/lmdb_reader.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool lmdb(Bytes input) {
  const bool is_taken = reads_as(open_lmdb_reader, input);
  const bool is_taken_shuffled = reads_as(open_lmdb_reader, input, {.order = ReadOrder::kRandom});
  if (is_taken != is_taken_shuffled) finding("is taken in one order only");
  return is_taken;
}

}  // namespace feedrate::fuzz
