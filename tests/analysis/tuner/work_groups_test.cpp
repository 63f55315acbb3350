// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/work_groups.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/tuner/settings.h"
#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;

std::vector<Candidate> of_formats(const std::vector<std::int64_t>& workers,
                                  const std::vector<std::string>& formats) {
  std::vector<Candidate> candidates;
  for (const std::string& format : formats) {
    for (const std::int64_t count : workers) {
      Settings settings = testing::settings_with(count, 2, false);
      for (Setting& setting : settings) {
        if (setting.name == "format") setting.value = format;
      }
      candidates.push_back({candidates.size(), settings, 0.0});
    }
  }
  return candidates;
}

TEST(work_groups, each_format_is_one_and_cells_with_workers_come_first) {
  EXPECT_THAT(work_groups(of_formats({0, 2}, {"tar", "lmdb"})),
              ElementsAre(ElementsAre(1, 0), ElementsAre(3, 2)));
}

TEST(probes, are_as_many_as_the_groups_and_ways_of_copying_need) {
  const std::vector<std::string> tar{"tar"}, both{"tar", "lmdb"};
  const std::vector<Candidate> ways = testing::candidates_of(
      {testing::settings_with(2, 2, false), testing::settings_with(2, 2, true)});
  struct Case {
    const char* name;
    std::vector<Candidate> candidates;
    bool (*wanted)(const LoopSettings&);
    std::ptrdiff_t count;
  };
  using L = const LoopSettings&;
  const std::vector<Candidate> many = of_formats({0, 2, 8, 64}, both);
  for (const Case& c : {
           Case{"trainer, none", many, [](L l) { return l.discard && l.num_workers == 0; }, 2},
           Case{"trainer, one", many, [](L l) { return l.discard && l.num_workers == 1; }, 2},
           Case{"trainer, sensible", many, [](L l) { return l.discard && l.num_workers == 8; }, 2},
           Case{"trainer, more", many, [](L l) { return l.discard && l.num_workers > 8; }, 0},
           Case{"loader", of_formats({0, 2}, both), [](L l) { return l.cached; }, 1},
           Case{"loader, two ways", ways, [](L l) { return l.cached; }, 2},
           Case{"real, one way", of_formats({0, 2, 8}, tar), is_real, 1},
           Case{"no workers", of_formats({0}, tar), [](L l) { return l.num_workers > 0; }, 0},
       }) {
    const auto probes = probes_for(c.candidates, 4.0, testing::canonicalize);
    EXPECT_EQ(std::count_if(probes.begin(), probes.end(),
                            [&](const Settings& one) { return c.wanted(loop_settings(one)); }),
              c.count)
        << c.name;
  }
}

TEST(probes, a_real_cell_of_each_group_pinned_and_not) {
  const auto candidates = testing::candidates_of(testing::small_grid({0, 2, 8}));
  const auto probes = probes_for(candidates, 4.0, testing::canonicalize);
  ASSERT_GE(probes.size(), 3U);
  EXPECT_EQ(probes.end()[-3], testing::settings_with(8, 2, true));
  EXPECT_EQ(probes.end()[-2], testing::settings_with(8, 2, false));
}

// It takes longest if loading is slow, and a real cell shows more.
TEST(probes, a_mock_trainer_with_one_worker_comes_last) {
  const auto probes =
      probes_for(of_formats({0, 2, 8}, {"tar", "lmdb"}), 4.0, testing::canonicalize);
  ASSERT_GE(probes.size(), 2U);
  for (const Settings& probe : {probes.end()[-2], probes.end()[-1]}) {
    const LoopSettings loop = loop_settings(probe);
    EXPECT_TRUE(loop.discard && loop.num_workers == 1) << loop.num_workers;
  }
}

// The case of too little pinned memory for eight workers.
TEST(probes, a_real_cell_has_the_most_workers_that_it_can_have) {
  std::vector<Settings> grid = testing::small_grid({0, 2, 4, 8});
  std::erase_if(grid, [](const Settings& settings) {
    const LoopSettings loop = loop_settings(settings);
    return loop.pin_memory && loop.num_workers == 8;
  });
  const auto probes = probes_for(testing::candidates_of(grid), 4.0, testing::canonicalize);
  ASSERT_GE(probes.size(), 3U);
  EXPECT_EQ(probes.end()[-3], testing::settings_with(4, 2, true));
}

}  // namespace
}  // namespace feedrate
