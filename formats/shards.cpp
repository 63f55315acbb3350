// SPDX-License-Identifier: Apache-2.0
#include "formats/shards.h"

#include <algorithm>
#include <system_error>

#include "core/error.h"
#include "formats/keys.h"

namespace feedrate {

namespace fs = std::filesystem;

std::vector<fs::path> list_shards(const fs::path& path, IsShard is_shard) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_shard(entry->path())) paths.push_back(entry->path());
  }
  if (error) throw SystemError(path.string(), "cannot list", error.value());
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_folder_of(IsShard is_shard, const fs::path& path) {
  std::error_code error;
  bool has_shard = false;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code dangling;
    if (entry->is_directory(dangling) || image_stem(entry->path().filename().string()))
      return false;
    has_shard = has_shard || is_shard(entry->path());
  }
  return has_shard && !error;
}

fs::path class_list_of(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? path / "classes.txt"
                                       : fs::path(path.string() + kClassListSuffix);
}

}  // namespace feedrate
