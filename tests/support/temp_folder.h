// SPDX-License-Identifier: Apache-2.0
// A temporary folder per test, removed afterwards.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/temporary_folder.h"

namespace feedrate::testing {

class TempFolder : public TemporaryFolder {
 public:
  TempFolder() : TemporaryFolder(std::filesystem::temp_directory_path() / "fr-") {}

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path() / name;
  }
};

/// Creates parent folders, too.
inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  // Some file systems flush a file that is truncated and rewritten to storage, which is slow.
  std::filesystem::remove(path);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(out.good()) << path;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace feedrate::testing
