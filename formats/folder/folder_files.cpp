// SPDX-License-Identifier: Apache-2.0
#include "formats/folder/folder_files.h"

#include "core/error.h"
#include "core/host/file.h"
#include "formats/class_list.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

}  // namespace

FolderFiles::FolderFiles(const fs::path& path, const WriterOptions& options)
    : staging_(path),
      root_(staging_.draft()),
      arrangement_(options.class_names, staging_.target().string()) {
  create_folders(root_);
}

void FolderFiles::add(const Record& record, std::string_view extension, Bytes content) {
  const std::string path = arrangement_.place(record, extension);
  make_parent(path);
  write_new_file((root_ / path).string(), content);
}

void FolderFiles::finish() {
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

void FolderFiles::make_parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || path.compare(0, slash, last_parent_) == 0) return;
  last_parent_ = path.substr(0, slash);
  create_folders(root_ / last_parent_);
}

}  // namespace feedrate
