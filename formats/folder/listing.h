// SPDX-License-Identifier: Apache-2.0
// Lists the files of a folder that are records, with order and labels. Does not read the images.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/keys.h"

namespace feedrate {

/// The kind of file that is a record.
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
  std::string layout;         ///< for messages
  std::string left_out = {};  ///< as RecordReader::left_out()
};

/// Whether, of this `kind` and images, `kind` comes first below `folder`. Looks at 1000 entries at
/// most.
[[nodiscard]] bool first_record_is(const FileKind& kind, const std::filesystem::path& folder);

/// Throws FormatError if there is no record, ConfigError for a labels.pkl without labels.csv.
[[nodiscard]] FolderListing list_folder(const std::filesystem::path& folder,
                                        const FileKind& kind = kImageFiles);

/// Lists an archive's images, by their paths in it; may be empty. `class_names`: the folders at its
/// root, including those of all `images`.
[[nodiscard]] FolderListing list_files(std::vector<std::string> class_names,
                                       std::vector<std::string> images,
                                       const FileKind& kind = kImageFiles);
/// Lists by the `labels_csv` and `class_names` (may be empty) of the archive at `path`.
[[nodiscard]] FolderListing list_labelled(std::string_view labels_csv,
                                          std::vector<std::string> class_names,
                                          const std::string& path,
                                          const FileKind& kind = kImageFiles);

}  // namespace feedrate
