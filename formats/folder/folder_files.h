// SPDX-License-Identifier: Apache-2.0
// Writes a folder of files, one file a record. Used by one thread.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/units.h"
#include "formats/folder/arrangement.h"
#include "formats/record.h"
#include "formats/record_writer.h"
#include "formats/staging.h"

namespace feedrate {

class FolderFiles {
 public:
  /// Throws ConfigError if `path` exists.
  FolderFiles(const std::filesystem::path& path, const WriterOptions& options);

  /// The path for messages.
  [[nodiscard]] std::string target() const { return staging_.target().string(); }
  void add(const Record& record, std::string_view extension, Bytes content);
  /// Writes the labels if the folders do not give them, and publishes the folder.
  void finish();

 private:
  void make_parent(const std::string& path);

  Staging staging_;
  std::filesystem::path root_;
  FolderArrangement arrangement_;
  std::string last_parent_;
};

}  // namespace feedrate
