#include "formats/folder/folder_writer.h"

#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/class_list.h"
#include "formats/file.h"
#include "formats/folder/arrangement.h"
#include "formats/payload.h"
#include "formats/staging.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

void create_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw SystemError(path.string(), "cannot create folder", error.value());
}

class FolderWriter final : public RecordWriter {
 public:
  FolderWriter(const fs::path& path, const WriterOptions& options)
      : staging_(path),
        root_(staging_.draft()),
        arrangement_(options.class_names, staging_.target().string()) {
    create_folders(root_);
  }

  void append(const Record& record) override {
    require_payload(record, Payload::kEncoded, staging_.target().string());
    const std::string path = arrangement_.place(record, extension_of(record));
    make_parent(path);
    write_new_file((root_ / path).string(), record.payload);
  }

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
  std::string_view extension_of(const Record& record) const {
    const std::string_view extension = extension_for(record.payload);
    if (!extension.empty()) return extension;
    throw FormatError({.file = staging_.target().string()},
                      fmt::format("record \"{}\" is neither JPEG nor PNG", record.key));
  }

  void make_parent(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || path.compare(0, slash, last_parent_) == 0) return;
    last_parent_ = path.substr(0, slash);
    create_folders(root_ / last_parent_);
  }

  Staging staging_;
  fs::path root_;
  FolderArrangement arrangement_;
  std::string last_parent_;
};

}  // namespace

std::unique_ptr<RecordWriter> create_folder_writer(const fs::path& path,
                                                   const WriterOptions& options) {
  return std::make_unique<FolderWriter>(path, options);
}

}  // namespace feedrate
