// SPDX-License-Identifier: Apache-2.0
// Assigns paths to records: each under its key, in class folders or with a labels.csv, so that
// reading the folder gives the same records in the same order. Used by one thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "formats/folder/labels_csv.h"
#include "formats/keys.h"
#include "formats/record.h"

namespace feedrate {

class FolderArrangement {
 public:
  /// Messages name `target`.
  FolderArrangement(std::vector<std::string> class_names, std::string target);

  /// The path of the next record, relative to the folder. Throws FormatError if its key is a
  /// duplicate or would leave the folder.
  [[nodiscard]] std::string place(const Record& record, std::string_view extension);

  /// Throws FormatError if place() was never called.
  void require_some() const;

  [[nodiscard]] const std::vector<std::string>& class_names() const { return class_names_; }
  /// Whether the folders alone give all labels. Then each class must have a folder, if only an
  /// empty one: it keeps the numbers of those after it.
  [[nodiscard]] bool in_class_folders() const { return in_class_folders_; }
  /// Whether labels.csv and classes.txt must give the labels.
  [[nodiscard]] bool needs_labels() const;
  [[nodiscard]] std::string labels_csv() const;

 private:
  bool is_in_its_class(const Record& record) const;

  std::vector<std::string> class_names_;
  std::string target_;
  bool in_class_folders_;
  bool labelled_ = false;
  bool nested_ = false;
  WrittenKeys keys_;
  std::vector<LabelledFile> files_;
};

}  // namespace feedrate
