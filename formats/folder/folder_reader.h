// SPDX-License-Identifier: Apache-2.0
// A folder of image files: one folder per class as torchvision's ImageFolder reads it, a flat
// folder with labels.csv, or a flat folder without labels. See docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/units.h"
#include "formats/folder/listing.h"
#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if no image is found, ConfigError if labels are kept in a form not read here.
[[nodiscard]] std::unique_ptr<RecordReader> open_folder_reader(const std::filesystem::path& path,
                                                               const ReadOptions& options);

/// A format that is a folder of files, one a record.
struct FolderKind {
  std::string_view format;
  Payload payload;
  FileKind files;
  /// What a file holds, as a view of its bytes, without label and key. Throws FormatError.
  Record (*parse)(Bytes file, const DataLocation& location);
};

/// Throws as open_folder_reader() does.
[[nodiscard]] std::unique_ptr<RecordReader> open_folder_of(const FolderKind& kind,
                                                           const std::filesystem::path& path,
                                                           const ReadOptions& options);

}  // namespace feedrate
