// SPDX-License-Identifier: Apache-2.0
// Which files of a folder are records, in which order, and of which class. Pure of reading images.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/keys.h"

namespace feedrate {

/// Which files are records.
struct FileKind {
  /// A file's name without extension; empty if it is no record.
  std::optional<std::string_view> (*stem)(std::string_view name) noexcept;
  std::string_view extensions;  ///< for messages
};

inline constexpr FileKind kImageFiles{image_stem, ".jpg, .jpeg or .png"};

struct FolderEntry {
  std::string path;  ///< relative to the folder
  std::string key;
  std::int64_t label;
};

struct FolderListing {
  std::vector<FolderEntry> entries;
  std::vector<std::string> class_names;
  std::string layout;         ///< for people
  std::string left_out = {};  ///< as RecordReader::left_out()
};

/// Whether the first file below `folder` that could be an image or of this `kind` is of this kind;
/// few are looked at.
[[nodiscard]] bool first_record_is(const FileKind& kind, const std::filesystem::path& folder);

/// Throws FormatError if nothing is found, ConfigError for a labels.pkl without labels.csv.
[[nodiscard]] FolderListing list_folder(const std::filesystem::path& folder,
                                        const FileKind& kind = kImageFiles);

/// The same of an archive's images, by their paths in it; may be empty. `class_names`: the folders
/// directly below its root, those of all `images` among them.
[[nodiscard]] FolderListing list_files(std::vector<std::string> class_names,
                                       std::vector<std::string> images,
                                       const FileKind& kind = kImageFiles);
/// `labels_csv` and `class_names` (may be empty) are those in the archive at `path`.
[[nodiscard]] FolderListing list_labelled(std::string_view labels_csv,
                                          std::vector<std::string> class_names,
                                          const std::string& path,
                                          const FileKind& kind = kImageFiles);

}  // namespace feedrate
