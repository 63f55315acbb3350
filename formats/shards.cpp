// SPDX-License-Identifier: Apache-2.0
#include "formats/shards.h"

#include <algorithm>

#include "core/error.h"
#include "formats/keys.h"
#include "formats/storage.h"

namespace feedrate {

namespace fs = std::filesystem;

std::vector<fs::path> list_shards(const fs::path& path, IsShard is_shard) {
  if (!is_folder(path)) return {path};
  std::vector<fs::path> paths;
  for (const std::string& name : names_in_folder(path).files) {
    if (is_shard(name)) paths.push_back(path / name);
  }
  return paths;
}

bool is_folder_of(IsShard is_shard, const fs::path& path) {
  try {
    const FolderNames names = names_in_folder(path);
    const auto is_image = [](const std::string& name) { return image_stem(name).has_value(); };
    return names.folders.empty() &&
           std::none_of(names.files.begin(), names.files.end(), is_image) &&
           std::any_of(names.files.begin(), names.files.end(), is_shard);
  } catch (const SystemError&) {
    return false;
  }
}

fs::path class_list_of(const fs::path& path) {
  return is_folder(path) ? path / "classes.txt" : fs::path(path.string() + kClassListSuffix);
}

}  // namespace feedrate
