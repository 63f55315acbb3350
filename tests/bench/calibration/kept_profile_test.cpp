// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/kept_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

SweepConfig sweep_of(const std::string& pipeline, const std::string& loader = "batch_size: 8") {
  return parse_config(
      "dataset: {path: x}\nloader: {" + loader + "}\npipeline: {transforms: [" + pipeline + "]}\n",
      "t.yaml");
}

std::string key_of(const SweepConfig& config, const std::string& versions = "torch 2.15.0") {
  return profile_key(config, "a machine", versions);
}

TEST(KeptProfile, depends_on_everything_that_changes_the_costs) {
  const std::string key = key_of(sweep_of("resize: 64"));
  EXPECT_NE(key_of(sweep_of("resize: 32")), key);
  EXPECT_NE(key_of(sweep_of("resize: 64", "batch_size: 16")), key);
  EXPECT_NE(key_of(sweep_of("resize: 64"), "torch 1.13.1"), key);
  EXPECT_NE(profile_key(sweep_of("resize: 64"), "another", "torch 2.15.0"), key);
}

TEST(KeptProfile, does_not_depend_on_the_number_of_workers) {
  EXPECT_EQ(key_of(sweep_of("resize: 64", "batch_size: 8, num_workers: [0, 8]")),
            key_of(sweep_of("resize: 64")));
}

TEST(KeptProfile, is_measured_once) {
  const testing::TempFolder folder;
  const std::filesystem::path file = folder / "cache/p.yaml";
  int made = 0;
  const auto make = [&]() -> std::optional<CostProfile> {
    ++made;
    return CostProfile{.costs = {}, .machine = "m", .versions = "v", .dataset = "d"};
  };
  EXPECT_EQ(kept_profile(file, make), file);
  EXPECT_EQ(kept_profile(file, make), file);
  EXPECT_EQ(made, 1);
  testing::write_file(file, "of: another version\n");
  EXPECT_EQ(kept_profile(file, make), file);
  EXPECT_EQ(made, 2);
}

TEST(KeptProfile, is_not_written_if_nothing_settled) {
  const testing::TempFolder folder;
  const auto nothing = []() -> std::optional<CostProfile> { return std::nullopt; };
  EXPECT_EQ(kept_profile(folder / "p.yaml", nothing), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(folder / "p.yaml"));
}

CostProfile settled_within(double seconds, int dispatch_us) {
  CostProfile profile;
  profile.machine = "m";
  profile.versions = "torch 2.15.0, Python 3.11.2, Pillow 13.0";
  profile.settled_within = seconds;
  profile.costs.dispatch = std::chrono::microseconds(dispatch_us);
  return profile;
}

TEST(KeptProfile, of_another_pipeline_provides_the_loader_costs) {
  const testing::TempFolder folder;
  const std::string versions = "torch 2.15.0, Python 3.11.2, lmdb 3.0";
  EXPECT_FALSE(kept_loader_costs(folder / "none", "m", versions, 1e-3));
  testing::write_file(folder / "a.yaml", to_yaml(settled_within(5e-4, 1)));
  testing::write_file(folder / "b.yaml", to_yaml(settled_within(2e-4, 2)));
  testing::write_file(folder / "c.yaml", to_yaml(settled_within(3e-4, 3)));
  testing::write_file(folder / "d.yaml", "of: another version\n");
  const auto best = kept_loader_costs(folder.path(), "m", versions, 1e-3);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->costs.dispatch, std::chrono::microseconds(2));
  EXPECT_THAT(best->figures, ::testing::ElementsAre(::testing::HasSubstr("b.yaml")));
  EXPECT_EQ(best->versions, versions);
  EXPECT_FALSE(kept_loader_costs(folder.path(), "m", versions, 1e-4));  // None is that narrow.
  EXPECT_FALSE(kept_loader_costs(folder.path(), "another", versions, 1e-3));
  EXPECT_FALSE(kept_loader_costs(folder.path(), "m", "torch 2.15.0, Python 3.12.1", 1e-3));
}

TEST(KeptProfile, is_in_the_users_cache_folder) {
  const auto in = [](const char* name, const char* value) {
    return cache_folder([=](const std::string& asked) {
      return asked == name ? std::optional<std::string>(value) : std::nullopt;
    });
  };
  EXPECT_EQ(in("XDG_CACHE_HOME", "/c"), "/c/feedrate");
  EXPECT_EQ(in("HOME", "/home/u"), "/home/u/.cache/feedrate");
  EXPECT_EQ(in("OTHER", "x"), "feedrate-results/.cache");
}

}  // namespace
}  // namespace feedrate
