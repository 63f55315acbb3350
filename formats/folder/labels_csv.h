// SPDX-License-Identifier: Apache-2.0
// labels.csv: which files of a flat folder are records, in which order, and their labels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

struct LabelledFile {
  std::string filename;
  std::int64_t label;
};

struct LabelsCsv {
  std::vector<LabelledFile> files;
  std::vector<std::string> class_names;
};

/// Parses RFC 4180 text with the columns `filename` and `label`; others are ignored. All labels are
/// integers or all are class names; an empty one is kNoLabel. Names are looked up in `class_names`
/// or, if that is empty, numbered in sorted order. Throws FormatError naming `path` and the line.
[[nodiscard]] LabelsCsv parse_labels_csv(std::string_view text,
                                         std::vector<std::string> class_names,
                                         const std::string& path);

[[nodiscard]] std::string format_labels_csv(const std::vector<LabelledFile>& files);

}  // namespace feedrate
