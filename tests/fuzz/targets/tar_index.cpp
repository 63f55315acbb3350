// SPDX-License-Identifier: Apache-2.0
// The index file of a tar file, which is untrusted since it is in the dataset's folder. The input
// follows the shard's time; the target adds the shard and the checksum, which no mutation would get
// right.
#include <cstdint>
#include <string>

#include "core/fnv1a.h"
#include "formats/tar/shard_index.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"
#include "tests/support/put_number.h"

namespace feedrate::fuzz {

using testing::put;

bool tar_index(Bytes input) {
  PackedFile shard;
  shard.size = 1U << 20;
  shard.mtime_ns = 7;
  std::string bytes = "FRTIDX02";
  put(bytes, shard.size);
  put(bytes, shard.mtime_ns);
  bytes += text_of(input);
  put(bytes, fnv1a(bytes));
  const auto index = parse_shard_index(bytes, shard);
  if (!index) return false;
  for (const ShardRecord& record : index->records) {
    if (record.offset > shard.size || record.size > shard.size - record.offset) {
      finding("a record outside the shard");
    }
  }
  if (format_shard_index(*index, shard) != bytes)
    finding("an index that was read is written differently");
  return true;
}

}  // namespace feedrate::fuzz
