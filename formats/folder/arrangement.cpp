// SPDX-License-Identifier: Apache-2.0
#include "formats/folder/arrangement.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

// Readers number class folders in sorted order, so only sorted names keep their labels.
bool could_be_folders(const std::vector<std::string>& names) {
  return !names.empty() &&
         std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end() &&
         std::all_of(names.begin(), names.end(), [](const std::string& name) {
           return is_safe_relative_path(name) && name.find('/') == std::string::npos;
         });
}

}  // namespace

FolderArrangement::FolderArrangement(std::vector<std::string> class_names, std::string target)
    : class_names_(std::move(class_names)),
      target_(std::move(target)),
      in_class_folders_(could_be_folders(class_names_)) {}

std::string FolderArrangement::place(const Record& record, std::string_view extension) {
  keys_.add(record.key, target_);
  if (!is_safe_relative_path(record.key)) {
    throw FormatError(
        {.file = target_},
        fmt::format("key \"{}\" is rejected; as a path it must stay inside the folder",
                    record.key));
  }
  std::string path = fmt::format("{}{}", record.key, extension);
  in_class_folders_ = in_class_folders_ && is_in_its_class(record);
  labelled_ = labelled_ || record.label != kNoLabel;
  nested_ = nested_ || path.find('/') != std::string::npos;
  files_.push_back({path, record.label});
  return path;
}

void FolderArrangement::require_some() const {
  if (files_.empty()) throw FormatError({.file = target_}, "no records were written");
}

bool FolderArrangement::needs_labels() const {
  // Without labels.csv, a reader would take folders for classes.
  return !in_class_folders_ && (labelled_ || nested_ || !class_names_.empty());
}

std::string FolderArrangement::labels_csv() const { return format_labels_csv(files_); }

bool FolderArrangement::is_in_its_class(const Record& record) const {
  if (record.label < 0 || static_cast<std::size_t>(record.label) >= class_names_.size())
    return false;
  const std::string& name = class_names_[static_cast<std::size_t>(record.label)];
  return record.key.size() > name.size() && record.key.starts_with(name) &&
         record.key[name.size()] == '/';
}

}  // namespace feedrate
