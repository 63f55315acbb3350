// SPDX-License-Identifier: Apache-2.0
// Where the records of one shard lie: found by walking its headers once, then kept beside it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/packed_file.h"

namespace feedrate {

struct ShardRecord {
  std::string name;  ///< of the member that holds the image
  std::uint64_t offset;
  std::uint64_t size;
  std::int64_t label;
};

struct ShardIndex {
  std::vector<ShardRecord> records;
  std::uint64_t ignored = 0;  ///< members that are neither image nor label
  bool has_end_mark = true;   ///< see walk_tar()
};

/// Takes the index from "<path>.idx" where that was made of the shard as it is now; otherwise walks
/// the shard and tries to leave a new index there. On a server, where copies have times of their
/// own, that index is one that is no older than the shard and names its size, and none is left.
/// Throws FormatError if the shard is damaged.
[[nodiscard]] ShardIndex open_shard_index(const PackedFile& shard, PackedReads& reads);

/// The bytes of the index file, and back: empty if they are damaged or of another shard.
[[nodiscard]] std::string format_shard_index(const ShardIndex& index, const PackedFile& shard);
[[nodiscard]] std::optional<ShardIndex> parse_shard_index(std::string_view bytes,
                                                          const PackedFile& shard);

}  // namespace feedrate
