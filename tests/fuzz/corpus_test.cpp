// SPDX-License-Identifier: Apache-2.0
// Runs every seed and every former finding through its target, without a fuzzer.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tests/fuzz/harness.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

// GoogleTest finds it in the namespace of Target.
inline void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

namespace fs = std::filesystem;

fs::path corpus() { return fs::path(FEEDRATE_SOURCE_DIR) / "tests/fuzz/corpus"; }

class Corpus : public ::testing::TestWithParam<Target> {};

TEST_P(Corpus, has_no_finding) {
  for (const Seed& seed : seeds_of(GetParam().name)) {
    EXPECT_NO_THROW(static_cast<void>(GetParam().run(bytes_of(seed.bytes)))) << seed.name;
  }
}

TEST_P(Corpus, has_an_accepted_seed) {
  const std::vector<Seed> seeds = seeds_of(GetParam().name);
  EXPECT_TRUE(std::any_of(seeds.begin(), seeds.end(),
                          [](const Seed& seed) { return GetParam().run(bytes_of(seed.bytes)); }));
}

TEST_P(Corpus, survives_an_empty_input_and_one_of_zeros) {
  EXPECT_NO_THROW(static_cast<void>(GetParam().run({})));
  EXPECT_NO_THROW(static_cast<void>(GetParam().run(bytes_of(std::string(600, '\0')))));
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, ::testing::ValuesIn(kTargets),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Corpora, are_named_after_targets) {
  for (const auto& folder : fs::directory_iterator(corpus())) {
    const std::string name = folder.path().filename().string();
    EXPECT_TRUE(std::any_of(kTargets.begin(), kTargets.end(), [&](const Target& target) {
      return target.name == name;
    })) << name;
  }
}

TEST(Targets, are_those_that_the_script_runs) {
  using Pipe = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  const Pipe script(::popen(FEEDRATE_SOURCE_DIR "/scripts/fuzz --list", "r"), ::pclose);
  ASSERT_TRUE(script);
  std::string listed(4096, '\0');
  listed.resize(std::fread(listed.data(), 1, listed.size(), script.get()));
  std::string expected;
  for (const Target& target : kTargets) expected += std::string(target.name) + "\n";
  EXPECT_EQ(listed, expected);
}

TEST(Corpora, stay_small) {
  constexpr std::uintmax_t kMostBytes = 200'000;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(corpus())) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LE(bytes, kMostBytes);
}

/// A differential target must be able to fail.
TEST(Finding, is_not_mistaken_for_a_rejection) {
  EXPECT_THROW(accepts([] { finding("two ways differ"); }), std::logic_error);
  EXPECT_FALSE(accepts([] { throw FormatError("damaged"); }));
}

TEST(MemoryFile, is_read_as_a_file) {
  const MemoryFile file(bytes_of("content"));
  EXPECT_EQ(read_text_file(file.path(), 100), "content");
}

TEST(Decisions, come_from_the_front_and_end_in_zeros) {
  const std::string bytes("\x05\x01\x02xyz", 6);
  Decisions decisions(bytes_of(bytes));
  EXPECT_EQ(decisions.below(4), 1U);
  EXPECT_EQ(decisions.number(2), 0x0201U);
  EXPECT_EQ(text_of(decisions.rest()), "xyz");
  EXPECT_EQ(decisions.number(8), 0x7A7978U);
  EXPECT_EQ(decisions.number(2), 0U);
}

}  // namespace
}  // namespace feedrate::fuzz
