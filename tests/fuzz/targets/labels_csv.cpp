// SPDX-License-Identifier: Apache-2.0
// labels.csv, with and without class names, and classes.txt.
#include "formats/folder/labels_csv.h"

#include <algorithm>

#include "formats/class_list.h"
#include "formats/keys.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

bool are_equal(const std::vector<LabelledFile>& a, const std::vector<LabelledFile>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const LabelledFile& one, const LabelledFile& other) {
                      return one.filename == other.filename && one.label == other.label;
                    });
}

}  // namespace

bool labels_csv(Bytes input) {
  const std::string_view text = text_of(input);
  accepts([&] { static_cast<void>(parse_labels_csv(text, {"cat", "dog"}, "labels.csv")); });
  accepts([&] { static_cast<void>(format_class_list(parse_class_list(text), "classes.txt")); });
  return accepts([&] {
    const LabelsCsv csv = parse_labels_csv(text, {}, "labels.csv");
    for (const LabelledFile& file : csv.files) {
      if (!is_safe_relative_path(file.filename)) finding("a file outside the folder");
    }
    const LabelsCsv again = parse_labels_csv(format_labels_csv(csv.files), {}, "labels.csv");
    if (!are_equal(again.files, csv.files)) finding("the written text reads differently");
  });
}

}  // namespace feedrate::fuzz
