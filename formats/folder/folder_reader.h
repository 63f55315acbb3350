// SPDX-License-Identifier: Apache-2.0
// Reads a folder of image files: one folder per class as in torchvision's ImageFolder, a flat
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

/// Throws FormatError if there is no image, ConfigError for labels.pkl without labels.csv.
[[nodiscard]] std::unique_ptr<RecordReader> open_folder_reader(const std::filesystem::path& path,
                                                               const ReadOptions& options);

/// A format that is a folder of files, one a record.
struct FolderKind {
  std::string_view format;
  Payload payload;
  FileKind files;
  /// Parses a file; the record is a view of its bytes, without label and key. Throws FormatError.
  Record (*parse)(Bytes file, const DataLocation& location);
};

/// Throws as open_folder_reader() does.
[[nodiscard]] std::unique_ptr<RecordReader> open_folder_of(const FolderKind& kind,
                                                           const std::filesystem::path& path,
                                                           const ReadOptions& options);

}  // namespace feedrate
