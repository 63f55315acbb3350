// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(std::vector<const char*> words) {
  words.insert(words.begin(), "feedrate");
  const ParsedCommand parsed = parse_command_line(static_cast<int>(words.size()), words.data());
  EXPECT_EQ(parsed.exit_code, kExitUsage);
  EXPECT_FALSE(parsed.run);
  return parsed.text;
}

TEST(CommandLine, refuses_nan) {
  const std::vector<std::vector<const char*>> lines{
      {"compare", "a", "b", "--threshold", "nan"},
      {"compare", "a", "b", "--tolerance", "nan"},
      {"compare", "a", "b", "--confidence", "nan"},
      {"tune", "s.yaml", "--confidence", "nan"},
      {"tune", "s.yaml", "--tolerance", "nan%"},
      {"tune", "s.yaml", "--budget", "nan"},
      {"tune", "s.yaml", "--check-model", "--cores", "nan"},
      {"what-if", "a", "--gpu-speed", "nan"},
      {"what-if", "a", "--cores", "nan"},
      {"what-if", "a", "--cached", "nan"},
      {"what-if", "a", "--nodes", "2", "--storage-latency", "nans"},
      {"plan", "s.yaml", "--time-limit", "nan"}};
  for (const std::vector<const char*>& line : lines) {
    EXPECT_THAT(refusal_of(line), HasSubstr("nan")) << line[line.size() - 2];
  }
}

TEST(CommandLine, refuses_an_empty_folder_to_resume) {
  EXPECT_THAT(refusal_of({"sweep", "s.yaml", "--resume", ""}), HasSubstr("must not be empty"));
}

TEST(CommandLine, knows_which_commands_only_read) {
  const auto only_reads = [](std::vector<const char*> words) {
    words.insert(words.begin(), "feedrate");
    return parse_command_line(static_cast<int>(words.size()), words.data()).only_reads;
  };
  EXPECT_TRUE(only_reads({"compare", "a", "b"}));
  EXPECT_TRUE(only_reads({"data", "info", "ds"}));
  EXPECT_FALSE(only_reads({"data", "convert", "ds", "x.tar"}));
  EXPECT_FALSE(only_reads({"sweep", "s.yaml"}));
}

}  // namespace
}  // namespace feedrate
