// SPDX-License-Identifier: Apache-2.0
#include "formats/shard_draft.h"

#include <system_error>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/class_list.h"

namespace feedrate {

namespace fs = std::filesystem;

ShardDraft::ShardDraft(const fs::path& path, IsShard is_shard, const WriterOptions& options)
    : staging_(path),
      is_single_(is_shard(staging_.target())),
      shard_bytes_(options.shard_bytes),
      class_names_(options.class_names) {
  if (is_single_) {
    if (!class_names_.empty()) require_absent(target().string() + kClassListSuffix);
    return;
  }
  create_folders(staging_.draft());
}

bool ShardDraft::fits(std::uint64_t size, std::uint64_t more) const noexcept {
  return is_single_ || size + more <= shard_bytes_;
}

fs::path ShardDraft::shard(const std::string& name) const {
  return is_single_ ? staging_.draft() : staging_.draft() / name;
}

void ShardDraft::rename(const std::string& from, const std::string& to) const {
  if (is_single_) return;
  std::error_code error;
  fs::rename(shard(from), shard(to), error);
  if (error) throw SystemError(shard(to).string(), "cannot move into place", error.value());
}

void ShardDraft::publish() {
  if (is_single_) {
    write_class_list(staging_.draft(kClassListSuffix), class_names_);
    if (!class_names_.empty()) staging_.publish(kClassListSuffix);
  } else {
    write_class_list(staging_.draft() / "classes.txt", class_names_);
    sync_filesystem(staging_.draft());
  }
  staging_.publish();
}

}  // namespace feedrate
