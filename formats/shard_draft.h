// SPDX-License-Identifier: Apache-2.0
// A dataset being written as one file or as a folder of shards; publish() makes it visible as a
// whole. Used by one thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/record_writer.h"
#include "formats/shards.h"
#include "formats/staging.h"

namespace feedrate {

class ShardDraft {
 public:
  /// Writes one file if `path` has the name of a shard, else a folder. Throws ConfigError if `path`
  /// or its class list exists, SystemError if the system refuses.
  ShardDraft(const std::filesystem::path& path, IsShard is_shard, const WriterOptions& options);

  [[nodiscard]] const std::filesystem::path& target() const noexcept { return staging_.target(); }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept {
    return class_names_;
  }

  /// Whether `more` bytes fit into a shard of `size` bytes. A single file has no limit.
  [[nodiscard]] bool fits(std::uint64_t size, std::uint64_t more) const noexcept;
  /// The path to write a shard to. A single file ignores `name`.
  [[nodiscard]] std::filesystem::path shard(const std::string& name) const;
  /// Renames a written shard; nothing for a single file.
  void rename(const std::string& from, const std::string& to) const;

  /// Writes the list of classes and publishes the dataset. REQUIRES: all shards are synced
  void publish();

 private:
  Staging staging_;
  bool is_single_;
  std::uint64_t shard_bytes_;
  std::vector<std::string> class_names_;
};

}  // namespace feedrate
