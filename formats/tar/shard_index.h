// SPDX-License-Identifier: Apache-2.0
// The index of a tar shard's records: made by walking the headers once, then saved next to the
// shard.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/packed_file.h"

namespace feedrate {

struct ShardRecord {
  std::string name;  ///< name of the image's member
  std::uint64_t offset;
  std::uint64_t size;
  std::int64_t label;
};

struct ShardIndex {
  std::vector<ShardRecord> records;
  std::uint64_t ignored = 0;  ///< members that are neither image nor label
  bool has_end_mark = true;   ///< see walk_tar()
};

/// Loads "<path>.idx" if it has the size and time of the shard; otherwise walks the shard and tries
/// to save a new index. On a server, where copies have new times, an index counts if it is no older
/// than the shard and has its size, and none is saved. Throws FormatError if the shard is damaged.
[[nodiscard]] ShardIndex open_shard_index(const PackedFile& shard, PackedReads& reads);

/// The bytes of the index file, and back: empty if they are damaged or belong to another shard.
[[nodiscard]] std::string format_shard_index(const ShardIndex& index, const PackedFile& shard);
[[nodiscard]] std::optional<ShardIndex> parse_shard_index(std::string_view bytes,
                                                          const PackedFile& shard);

}  // namespace feedrate
