// SPDX-License-Identifier: Apache-2.0
// A dataset that is being written as one file, or as a folder of shards, and appears when it is
// whole. One thread.
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
  /// One file where its name is that of a shard. Throws ConfigError if there is something at
  /// `path` or where its class list would be, SystemError if the system refuses.
  ShardDraft(const std::filesystem::path& path, IsShard is_shard, const WriterOptions& options);

  [[nodiscard]] const std::filesystem::path& target() const noexcept { return staging_.target(); }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept {
    return class_names_;
  }

  /// Whether a shard of `size` bytes has room for `more`; one file has for all.
  [[nodiscard]] bool has_room(std::uint64_t size, std::uint64_t more) const noexcept;
  /// Where to write a shard of this name; one file is that shard, whatever the name.
  [[nodiscard]] std::filesystem::path shard(const std::string& name) const;
  /// A shard is written under one name and published under another.
  void rename(const std::string& from, const std::string& to) const;

  /// After the last shard is synced: writes the list of classes and puts all into place.
  void publish();

 private:
  Staging staging_;
  bool is_single_;
  std::uint64_t shard_bytes_;
  std::vector<std::string> class_names_;
};

}  // namespace feedrate
