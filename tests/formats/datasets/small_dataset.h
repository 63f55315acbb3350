// SPDX-License-Identifier: Apache-2.0
// Small datasets of synthetic images, and ways to damage them.
#pragma once
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "formats/datasets/synthesize.h"
#include "formats/registry.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {

inline MakeOptions small_images(std::size_t count = 12) {
  MakeOptions options;
  options.count = count;
  options.size = ImageSize{16, 12};
  options.classes = 3;
  return options;
}

inline MakeOptions small_photos(std::size_t count = 12) {
  MakeOptions options = small_images(count);
  options.encoding = ImageEncoding::kJpeg;
  return options;
}

/// A folder with airplane/0000000, automobile/0000001, bird/0000002, airplane/0000003, …
inline std::filesystem::path make_folder(const TempFolder& parent, const MakeOptions& options,
                                         const std::string& name = "source") {
  make_dataset(options, parent / name, "folder", {});
  return parent / name;
}

inline void cut_in_half(const std::filesystem::path& file) {
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

inline std::size_t count_records(const std::filesystem::path& dataset) {
  return open_dataset(dataset)->size();
}

}  // namespace feedrate::testing
