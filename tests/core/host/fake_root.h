// SPDX-License-Identifier: Apache-2.0
// A folder that stands for "/", with the files of a made-up machine. One a test.
#pragma once
#include <filesystem>
#include <string>

namespace feedrate {

class FakeRoot {
 public:
  /// Empty; named after the running test.
  FakeRoot();
  /// `file` relative to the root; its folders are created. Returns where it lies.
  std::filesystem::path write(const std::string& file, const std::string& content) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace feedrate
