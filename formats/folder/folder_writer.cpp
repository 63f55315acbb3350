#include "formats/folder/folder_writer.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/class_list.h"
#include "formats/file.h"
#include "formats/folder/labels_csv.h"
#include "formats/keys.h"
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

// Folders are read back in sorted order, so only sorted names keep their numbers.
bool could_be_folders(const std::vector<std::string>& names) {
  return !names.empty() &&
         std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end() &&
         std::all_of(names.begin(), names.end(), [](const std::string& name) {
           return is_safe_relative_path(name) && name.find('/') == std::string::npos;
         });
}

class FolderWriter final : public RecordWriter {
 public:
  FolderWriter(const fs::path& path, const WriterOptions& options)
      : staging_(path),
        root_(staging_.draft()),
        class_names_(options.class_names),
        in_class_folders_(could_be_folders(class_names_)) {
    create_folders(root_);
  }

  void append(const Record& record) override {
    const std::string target = staging_.target().string();
    require_payload(record, Payload::kEncoded, target);
    keys_.add(record.key, target);
    std::string path = path_of(record);
    make_parent(path);
    write_new_file((root_ / path).string(), record.payload);
    in_class_folders_ = in_class_folders_ && lies_in_its_class(record);
    labelled_ = labelled_ || record.label != kNoLabel;
    nested_ = nested_ || path.find('/') != std::string::npos;
    files_.push_back({std::move(path), record.label});
  }

  void finish() override {
    if (files_.empty()) {
      throw FormatError({.file = staging_.target().string()}, "no records were written");
    }
    if (in_class_folders_) {
      // A class without records keeps the numbers of those after it.
      for (const std::string& name : class_names_) create_folders(root_ / name);
    } else {
      write_labels();
    }
    sync_filesystem(root_);
    staging_.publish();
  }

 private:
  std::string path_of(const Record& record) const {
    const std::string file = staging_.target().string();
    if (!is_safe_relative_path(record.key)) {
      throw FormatError({.file = file}, fmt::format("key \"{}\" is refused; as a path it must stay "
                                                    "inside the folder",
                                                    record.key));
    }
    const std::string_view extension = extension_for(record.payload);
    if (extension.empty()) {
      throw FormatError({.file = file},
                        fmt::format("record \"{}\" is neither JPEG nor PNG", record.key));
    }
    return fmt::format("{}{}", record.key, extension);
  }

  void make_parent(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || path.compare(0, slash, last_parent_) == 0) return;
    last_parent_ = path.substr(0, slash);
    create_folders(root_ / last_parent_);
  }

  bool lies_in_its_class(const Record& record) const {
    if (record.label < 0 || static_cast<std::size_t>(record.label) >= class_names_.size())
      return false;
    const std::string& name = class_names_[static_cast<std::size_t>(record.label)];
    return record.key.size() > name.size() && record.key.starts_with(name) &&
           record.key[name.size()] == '/';
  }

  // Files in folders would be taken for classes where no labels.csv says otherwise.
  void write_labels() {
    if (!labelled_ && !nested_ && class_names_.empty()) return;
    write_new_file((root_ / "labels.csv").string(), format_labels_csv(files_));
    write_class_list(root_ / "classes.txt", class_names_);
  }

  Staging staging_;
  fs::path root_;
  std::vector<std::string> class_names_;
  bool in_class_folders_;
  bool labelled_ = false;
  bool nested_ = false;
  WrittenKeys keys_;
  std::string last_parent_;
  std::vector<LabelledFile> files_;
};

}  // namespace

std::unique_ptr<RecordWriter> create_folder_writer(const fs::path& path,
                                                   const WriterOptions& options) {
  return std::make_unique<FolderWriter>(path, options);
}

}  // namespace feedrate
