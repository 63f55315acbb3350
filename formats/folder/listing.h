// Which files of a folder are records, in which order, and of which class. Pure of reading images.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
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

}  // namespace feedrate
