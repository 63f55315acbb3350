// SPDX-License-Identifier: Apache-2.0
// Formats that are a folder of files, one a record. Any thread.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/units.h"
#include "formats/folder/listing.h"
#include "formats/formats.h"

namespace feedrate {

struct RecordFile {
  std::string_view extension;
  Bytes content;
};

struct FolderKind {
  std::string_view format;
  Payload payload;
  FileKind files;
  /// Parses a file; the record is a view of its bytes, without label and key. Throws FormatError.
  Record (*parse)(Bytes file, const DataLocation& location);
  /// The file of a record, valid as long as `record` and `memory`, which it may fill. Throws
  /// FormatError naming `target`.
  RecordFile (*file_of)(const Record& record, const std::string& target, std::string& memory);
};

/// Throws as open_folder_reader() does.
[[nodiscard]] std::unique_ptr<RecordReader> open_folder_of(const FolderKind& kind,
                                                           const std::filesystem::path& path,
                                                           const ReadOptions& options);
/// Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_folder_of(const FolderKind& kind,
                                                             const std::filesystem::path& path,
                                                             const WriterOptions& options);

}  // namespace feedrate
