// SPDX-License-Identifier: Apache-2.0
// Datasets that are one file or a folder of such files, the shards. Any thread.
#pragma once
#include <filesystem>
#include <vector>

namespace feedrate {

/// Whether a file is a shard of some format, by its name.
using IsShard = bool (*)(const std::filesystem::path& file);

/// `path` itself if it is no folder; otherwise its shards, sorted by name.
[[nodiscard]] std::vector<std::filesystem::path> list_shards(const std::filesystem::path& path,
                                                             IsShard is_shard);

/// Whether `path` is a folder with shards and with neither images nor folders.
[[nodiscard]] bool is_folder_of(IsShard is_shard, const std::filesystem::path& path);

/// The path of the list of classes: "classes.txt" in a folder, "NAME.classes.txt" next to a file.
[[nodiscard]] std::filesystem::path class_list_of(const std::filesystem::path& path);

/// The suffix that class_list_of() adds to a file's name.
inline constexpr const char* kClassListSuffix = ".classes.txt";

}  // namespace feedrate
