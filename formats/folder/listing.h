// Which files of a folder are records, in which order, and of which class. Pure of reading images.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

struct FolderEntry {
  std::string path;  ///< relative to the folder
  std::string key;
  std::int64_t label;
};

struct FolderListing {
  std::vector<FolderEntry> entries;
  std::vector<std::string> class_names;
  std::string layout;  ///< for people
};

/// Throws FormatError if nothing is found, ConfigError for a labels.pkl without labels.csv.
[[nodiscard]] FolderListing list_folder(const std::filesystem::path& folder);

/// The same of an archive's files, by their paths in it; may be empty. `class_names`: the folders
/// directly below its root, those of all `images` among them.
[[nodiscard]] FolderListing list_files(std::vector<std::string> class_names,
                                       std::vector<std::string> images);
/// `labels_csv` and `class_names` (may be empty) are those in the archive at `path`.
[[nodiscard]] FolderListing list_labelled(std::string_view labels_csv,
                                          std::vector<std::string> class_names,
                                          const std::string& path);

}  // namespace feedrate
