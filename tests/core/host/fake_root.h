// SPDX-License-Identifier: Apache-2.0
// A folder that stands for "/", with the files of a fake machine. One for each test.
#pragma once
#include <filesystem>
#include <string>

namespace feedrate {

class FakeRoot {
 public:
  /// Creates an empty folder named after the running test.
  FakeRoot();
  /// Writes `file`, relative to the root, and creates its folders. Returns its path.
  std::filesystem::path write(const std::string& file, const std::string& content) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace feedrate
