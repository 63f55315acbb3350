// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/sbatch.h"

#include <array>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

SbatchSweep formats() {
  return {.name = "formats",
          .remarks = {"How fast can the loader alone deliver?", "8 cells in 4 shards."},
          .arguments = {"configs/formats.yaml", "--axis=num_workers=0,2", "--no-limits"},
          .out = "results/formats",
          .shards = 4,
          .cpus = 9,
          .gpus = 1,
          .time_limit = 4.5 * 3600};
}

// Returns `word` as a shell expands it.
std::string by_shell(const std::string& word) {
  const std::string line = "printf %s " + word;
  FILE* const shell = ::popen(line.c_str(), "r");
  std::string text;
  std::array<char, 256> some{};
  for (std::size_t size; (size = std::fread(some.data(), 1, some.size(), shell)) > 0;) {
    text.append(some.data(), size);
  }
  EXPECT_EQ(::pclose(shell), 0);
  return text;
}

TEST(Sbatch, submits_an_array_of_shards_and_a_job_that_merges_them) {
  expect_golden(sbatch_script(formats()), "tests/golden/slurm/formats.sh");
}

TEST(Sbatch, quotes_whatever_comes_from_outside) {
  SbatchSweep sweep = formats();
  sweep.name = "a; touch x";
  sweep.remarks = {"What?\nrm -rf /"};
  sweep.arguments = {"my sweeps/it's $(touch x).yaml", "--axis=emulate=`touch x`,\"b\""};
  sweep.out = "~/r; touch x #";
  sweep.gpus = 0;
  sweep.time_limit.reset();
  expect_golden(sbatch_script(sweep), "tests/golden/slurm/quoted.sh");
}

TEST(Sbatch, refuses_control_characters) {
  SbatchSweep sweep = formats();
  sweep.out = "r\nEND_OF_SCRIPT\ntouch x";
  EXPECT_THROW(static_cast<void>(sbatch_script(sweep)), ConfigError);
}

TEST(ShellQuoted, is_one_word_for_a_shell) {
  for (const std::string word :
       {"",      "plain", "a b",   "it's", "'",   "''",          "$HOME", "`id`",
        "$(id)", "a\\b",  "a\"b",  "*",    "~",   "#x",          "a;b",   "a&b",
        "a|b",   "!x",    "{a,b}", "[a]",  "été", "--axis=x=1,2"}) {
    EXPECT_EQ(by_shell(shell_quoted(word)), word);
  }
}

TEST(ShellQuoted, leaves_plain_words_as_they_are) {
  EXPECT_EQ(shell_quoted("--axis=num_workers=0,2"), "--axis=num_workers=0,2");
  EXPECT_EQ(shell_quoted("results/my-run_1.yaml"), "results/my-run_1.yaml");
}

}  // namespace
}  // namespace feedrate
