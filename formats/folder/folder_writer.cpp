// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/class_list.h"
#include "formats/folder/arrangement.h"
#include "formats/folder/folder_kind.h"
#include "formats/staging.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

class FolderWriter final : public RecordWriter {
 public:
  FolderWriter(const FolderKind& kind, const fs::path& path, const WriterOptions& options)
      : kind_(kind),
        staging_(path),
        root_(staging_.draft()),
        arrangement_(options.class_names, staging_.target().string()) {
    create_folders(root_);
  }

  void append(const Record& record) override {
    const auto [extension, content] = kind_.file_of(record, staging_.target().string(), memory_);
    const std::string path = arrangement_.place(record, extension);
    make_parent(path);
    write_new_file((root_ / path).string(), content);
  }

  // Writes the labels if the folders do not give them.
  void finish() override {
    arrangement_.require_some();
    if (arrangement_.in_class_folders()) {
      for (const std::string& name : arrangement_.class_names()) create_folders(root_ / name);
    }
    if (arrangement_.needs_labels()) {
      write_new_file((root_ / "labels.csv").string(), arrangement_.labels_csv());
      write_class_list(root_ / "classes.txt", arrangement_.class_names());
    }
    sync_filesystem(root_);
    staging_.publish();
  }

 private:
  void make_parent(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || path.compare(0, slash, last_parent_) == 0) return;
    last_parent_ = path.substr(0, slash);
    create_folders(root_ / last_parent_);
  }

  FolderKind kind_;
  Staging staging_;
  fs::path root_;
  FolderArrangement arrangement_;
  std::string last_parent_;
  std::string memory_;  // of the current record's file
};

}  // namespace

std::unique_ptr<RecordWriter> create_folder_of(const FolderKind& kind, const fs::path& path,
                                               const WriterOptions& options) {
  return std::make_unique<FolderWriter>(kind, path, options);
}

}  // namespace feedrate
