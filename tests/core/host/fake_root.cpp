// SPDX-License-Identifier: Apache-2.0
#include "tests/core/host/fake_root.h"

#include <fstream>

#include <gtest/gtest.h>

namespace feedrate {

FakeRoot::FakeRoot() {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  path_ = std::filesystem::path(FEEDRATE_BINARY_DIR) / "test_files" / "host" /
          test->test_suite_name() / test->name();
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

std::filesystem::path FakeRoot::write(const std::string& file, const std::string& content) const {
  std::filesystem::path target = path_ / file;
  std::filesystem::create_directories(target.parent_path());
  std::ofstream(target, std::ios::binary) << content;
  return target;
}

}  // namespace feedrate
