// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/byte_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/analysis/profile/gzip_file.h"
#include "tests/support/message_of.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using testing::TempFolder;
using testing::write_file;
using testing::write_gzip_file;

std::string read_all(ByteInput& input) {
  std::string all, part(1000, '\0');
  while (const std::size_t count = input.read(part)) all += part.substr(0, count);
  return all;
}

// Random text, which gzip cannot compress to nothing.
std::string some_text() {
  std::string text;
  for (unsigned i = 0, state = 1; i < 100'000; ++i) {
    state = state * 1664525U + 1013904223U;
    text += static_cast<char>('a' + (state >> 28));
  }
  return text;
}

class ByteInputTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "file"; }
  void cut(std::uintmax_t bytes) const {
    std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - bytes);
  }

  TempFolder folder_;
};

TEST_F(ByteInputTest, reads_a_plain_file_unchanged) {
  write_file(file(), some_text());
  const auto input = open_gzip_or_plain(file());
  EXPECT_EQ(read_all(*input), some_text());
  EXPECT_EQ(input->size(), 100'000U);
  EXPECT_EQ(input->consumed(), 100'000U);
  EXPECT_FALSE(input->is_truncated());
}

TEST_F(ByteInputTest, decompresses_gzip_with_any_name) {
  write_gzip_file(file(), some_text());
  const auto input = open_gzip_or_plain(file());
  EXPECT_EQ(read_all(*input), some_text());
  EXPECT_LT(input->size(), 90'000U);
  EXPECT_EQ(input->consumed(), input->size());
  EXPECT_FALSE(input->is_truncated());
}

TEST_F(ByteInputTest, an_empty_file_is_empty) {
  write_file(file(), "");
  EXPECT_EQ(read_all(*open_gzip_or_plain(file())), "");
}

TEST_F(ByteInputTest, reads_the_available_part_of_truncated_gzip) {
  write_gzip_file(file(), some_text());
  cut(2000);
  const auto input = open_gzip_or_plain(file());
  const std::string read = read_all(*input);
  EXPECT_GT(read.size(), 50'000U);
  EXPECT_TRUE(some_text().starts_with(read));
  EXPECT_TRUE(input->is_truncated());
}

TEST_F(ByteInputTest, reports_damaged_gzip_with_its_offset) {
  write_gzip_file(file(), some_text());
  std::string bytes = testing::read_file(file());
  for (std::size_t at = bytes.size() / 2; at < bytes.size() / 2 + 100; ++at) bytes[at] = '\x55';
  write_file(file(), bytes);
  const auto input = open_gzip_or_plain(file());
  EXPECT_THAT(testing::message_of<FormatError>([&] { return read_all(*input); }),
              ::testing::AllOf(HasSubstr(file().string() + ": byte"),
                               HasSubstr("is damaged gzip (incorrect")));
}

TEST_F(ByteInputTest, rejects_gzip_with_an_implausible_ratio) {
  write_gzip_file(file(), std::string(std::size_t{65} << 20, ' '));
  const auto input = open_gzip_or_plain(file());
  EXPECT_THAT(testing::message_of<FormatError>([&] { return read_all(*input); }),
              HasSubstr("unpacks to more than 100 times its size"));
}

TEST_F(ByteInputTest, a_missing_file_or_a_folder_is_a_config_error) {
  EXPECT_THROW(static_cast<void>(open_gzip_or_plain(folder_ / "none")), ConfigError);
  EXPECT_THROW(static_cast<void>(open_gzip_or_plain(folder_.path())), ConfigError);
}

}  // namespace
}  // namespace feedrate
