// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace

void expect_golden(const std::string& actual, const std::filesystem::path& expected) {
  const std::filesystem::path committed = std::filesystem::path(FEEDRATE_SOURCE_DIR) / expected;
  if (content_of(committed) == actual) return;
  const std::filesystem::path produced =
      std::filesystem::path(FEEDRATE_BINARY_DIR) / "golden" / expected;
  std::filesystem::create_directories(produced.parent_path());
  std::ofstream(produced, std::ios::binary) << actual;
  ADD_FAILURE() << expected.string() << " differs from the output. Compare\n  diff "
                << committed.string() << ' ' << produced.string()
                << "\nand accept an intended change:\n  cp " << produced.string() << ' '
                << committed.string();
}

std::filesystem::path fresh_folder() {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder = std::filesystem::path(FEEDRATE_BINARY_DIR) / "test_files" /
                                       "report" / test->test_suite_name() / test->name();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace feedrate
