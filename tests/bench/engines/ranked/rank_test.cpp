// SPDX-License-Identifier: Apache-2.0
// Ranks that measure a cell together, each a thread of this test, with real data on a simulated
// device.
#include "bench/engines/ranked/rank.h"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/rank_rules.h"
#include "bench/engines/ranked/rank_launcher.h"
#include "bench/plan/plan.h"
#include "tests/formats/datasets/small_dataset.h"
#include "tests/support/thread_ranks.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run_thread_ranks;
using ::testing::SizeIs;
using testing::ThreadGroup;

// Shows the rank's error if there is no such metric.
double metric(const RankReport& report, const char* tag) {
  const double* const value = find_metric(report.repeat.metrics, tag);
  EXPECT_NE(value, nullptr) << tag << ": " << report.error;
  return value ? *value : -1.0;
}

class Ranks : public ::testing::Test {
 protected:
  void make(std::size_t records) {
    records_ = records;
    testing::make_folder(folder_, testing::small_images(records), "ds");
  }

  void damage_all() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "ds")) {
      if (entry.path().extension() == ".png") testing::cut_in_half(entry.path());
    }
  }

  RankRequest request(int ranks, const std::string& job = "", const std::string& loader = "",
                      const std::string& dataset = "") const {
    RankRequest request;
    request.config_name = "s";
    request.config_text = fmt::format(
        "dataset: {{path: ds{}}}\nloader: {{batch_size: 1{}}}\n"
        "device: {{name: 'sim:h200'}}\ntrainer: {{kind: burn, step_ms: 0.1}}\n"
        "job: {{ranks: {}{}}}\nmeasure: {{steps: 4, warmup: 0, epochs: 1}}\n",
        dataset, loader, ranks, job);
    request.steps = 4;
    request.catalog[""] = {folder_ / "ds", "", records_, 0};
    request.settings = make_plan(request.config(), {}).front().settings;
    return request;
  }

  static std::vector<RankReport> measure(int ranks, const RankRequest& request) {
    std::vector<RankReport> reports(static_cast<std::size_t>(ranks));
    run_thread_ranks(ranks, [&](ThreadGroup& group) {
      SteadyClock clock;
      Rank rank(group, clock, {});
      reports[static_cast<std::size_t>(group.rank())] = rank.measure(request, {});
    });
    return reports;
  }

  testing::TempFolder folder_;
  std::size_t records_ = 0;
};

// Each rank loads more batches than its share has; its damaged records show what it read.
TEST_F(Ranks, read_shares_that_are_disjoint_and_cover_the_dataset) {
  make(12);
  damage_all();
  const auto reports = measure(3, request(3, "", "", ", skip_damaged: true"));
  std::set<std::string> all;
  for (const RankReport& report : reports) {
    EXPECT_THAT(report.error, IsEmpty());
    const std::set<std::string> own(report.damaged.begin(), report.damaged.end());
    EXPECT_THAT(own, SizeIs(4));
    all.insert(own.begin(), own.end());
  }
  EXPECT_THAT(all, SizeIs(12));
}

// DistributedSampler pads each share to 5 with the first record of the order, so two ranks read it.
TEST_F(Ranks, pad_an_uneven_share_by_repeating) {
  make(14);
  damage_all();
  std::set<std::string> all;
  std::size_t read = 0;
  for (const RankReport& report : measure(3, request(3, "", "", ", skip_damaged: true"))) {
    const std::set<std::string> own(report.damaged.begin(), report.damaged.end());
    read += own.size();
    all.insert(own.begin(), own.end());
    EXPECT_EQ(metric(report, "batches_per_epoch"), 5);
    EXPECT_EQ(metric(report, "samples_dropped"), 0);
  }
  EXPECT_EQ(read, 15U);
  EXPECT_THAT(all, SizeIs(14));
}

TEST_F(Ranks, leave_the_uneven_rest_out_with_drop_last) {
  make(14);
  std::vector<RankFigures> ranks;
  for (RankReport& report : measure(3, request(3, "", ", drop_last: true"))) {
    EXPECT_EQ(metric(report, "batches_per_epoch"), 4);
    report.figures.metrics = report.repeat.metrics;
    ranks.push_back(report.figures);
  }
  const std::vector<Metric> together = combine_ranks(ranks);
  const double* const dropped = find_metric(together, "samples_dropped");
  ASSERT_NE(dropped, nullptr);
  EXPECT_EQ(*dropped, 2);
}

TEST_F(Ranks, report_where_they_ran) {
  make(12);
  const auto reports = measure(2, request(2));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(reports[i].figures.rank, i);
    EXPECT_EQ(reports[i].figures.local_rank, i);
    EXPECT_EQ(reports[i].figures.node, "here");
    EXPECT_EQ(reports[i].figures.device, "sim:h200");
    EXPECT_FALSE(reports[i].figures.cores.empty());
    EXPECT_EQ(reports[i].figures.gpu_numa_node, "");
    EXPECT_EQ(reports[i].figures.all_reduce, "");
  }
}

TEST_F(Ranks, measure_the_all_reduce_as_a_part_of_training) {
  make(12);
  for (const RankReport& report : measure(2, request(2, ", all_reduce_bytes: 4096"))) {
    EXPECT_THAT(report.error, IsEmpty());
    const double* const reduce = find_metric(report.repeat.metrics, "all_reduce_time");
    ASSERT_NE(reduce, nullptr);
    EXPECT_EQ(report.figures.all_reduce, "threads");
    EXPECT_GT(*reduce, 0);
    EXPECT_LT(*reduce, metric(report, "training_time"));
  }
}

TEST_F(Ranks, without_an_all_reduce_have_no_such_time) {
  make(12);
  for (const RankReport& report : measure(2, request(2))) {
    EXPECT_EQ(find_metric(report.repeat.metrics, "all_reduce_time"), nullptr);
  }
}

// The dataset has a damaged record: the rank that reads it reports it, the others end with it.
class OneFails : public Ranks, public ::testing::WithParamInterface<const char*> {};

TEST_P(OneFails, and_all_end_with_it_and_measure_the_next_cell) {
  make(12);
  testing::cut_in_half(folder_ / "ds" / "airplane" / "0000003.png");
  RankRequest failing = request(3, GetParam());
  std::vector<RankReport> reports(3);
  std::vector<RankReport> next(3);
  run_thread_ranks(3, [&](ThreadGroup& group) {
    SteadyClock clock;
    Rank rank(group, clock, {});
    const auto i = static_cast<std::size_t>(group.rank());
    reports[i] = rank.measure(failing, {});
    RankRequest other = failing;
    for (Setting& setting : other.settings) {
      if (setting.name == "loader") setting.value = std::string("cached");
    }
    next[i] = rank.measure(other, {});
  });
  EXPECT_THAT(reports[1].error, HasSubstr("0000003"));  // Sorted by class, it is the second record.
  EXPECT_FALSE(reports[1].is_consequence);
  EXPECT_THAT(next, Each(Field(&RankReport::error, IsEmpty())));
}

INSTANTIATE_TEST_SUITE_P(WithAndWithout, OneFails, ::testing::Values("", ", all_reduce_bytes: 64"),
                         [](const auto& tested) {
                           return *tested.param ? "all_reduce" : "no_all_reduce";
                         });

TEST_F(Ranks, that_cannot_open_their_data_all_report_it) {
  RankRequest missing = request(2);
  missing.catalog[""].problem = "is damaged";
  EXPECT_THAT(measure(2, missing), Each(Field(&RankReport::error, HasSubstr("is damaged"))));
}

TEST_F(Ranks, fill_the_page_cache_once) {
  make(12);
  RankRequest warm = request(2);
  for (Setting& setting : warm.settings) {
    if (setting.name == "cache") setting.value = std::string("warm");
  }
  for (const RankReport& report : measure(2, warm)) {
    EXPECT_THAT(report.error, IsEmpty());
    EXPECT_EQ(metric(report, "cached_before"), 1.0);
  }
}

class RankLauncher : public Ranks {
 protected:
  // Runs `leader` in rank 0; the others follow until it returns.
  static void lead(int ranks, const std::function<void(JobRankLauncher&, ThreadGroup&)>& leader) {
    run_thread_ranks(ranks, [&](ThreadGroup& group) {
      SteadyClock clock;
      if (group.rank() > 0) return follow(group, clock, {});
      JobRankLauncher launcher(group, clock, {});
      leader(launcher, group);
    });
  }
};

TEST_F(RankLauncher, serves_the_requests_of_the_leader_until_it_ends) {
  make(12);
  const RankRequest wanted = request(3);
  std::vector<std::size_t> reports;
  lead(3, [&](JobRankLauncher& launcher, ThreadGroup&) {
    for (int start = 0; start < 2; ++start) {
      for (const RankReport& report : launcher.measure(wanted, 3, {})) {
        EXPECT_THAT(report.error, IsEmpty());
        reports.push_back(report.figures.rank);
      }
    }
  });
  EXPECT_THAT(reports, ::testing::ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST_F(RankLauncher, ends_at_once_if_the_leader_requests_nothing) {
  bool is_over = false;
  lead(2, [&](JobRankLauncher&, ThreadGroup&) { is_over = true; });
  EXPECT_TRUE(is_over);
}

TEST_F(RankLauncher, is_broken_by_a_lost_rank_and_names_it) {
  make(12);
  const RankRequest wanted = request(3);
  std::string told;
  int broken = 0;
  run_thread_ranks(3, [&](ThreadGroup& group) {
    SteadyClock clock;
    if (group.rank() == 1) {
      Rank rank(group, clock, {});
      return group.leave("was killed by SIGKILL");
    }
    if (group.rank() == 2) {
      EXPECT_THROW(follow(group, clock, {}), RankLost);
      return;
    }
    JobRankLauncher launcher(group, clock, {});
    launcher.set_on_broken([&] { ++broken; });
    try {
      static_cast<void>(launcher.measure(wanted, 3, {}));
    } catch (const RankLost& lost) {
      told = lost.what();
    }
  });
  EXPECT_THAT(told, AllOf(HasSubstr("rank 1"), HasSubstr("was killed by SIGKILL")));
  EXPECT_EQ(broken, 1);
}

TEST_F(RankLauncher, throws_cancelled_after_an_interrupted_rank) {
  make(12);
  const RankRequest wanted = request(2);
  bool was_cancelled = false;
  run_thread_ranks(2, [&](ThreadGroup& group) {
    SteadyClock clock;
    if (group.rank() == 1) {
      Rank rank(group, clock, {});
      return group.leave(kInterrupted);
    }
    JobRankLauncher launcher(group, clock, {});
    try {
      static_cast<void>(launcher.measure(wanted, 2, {}));
    } catch (const Cancelled&) {
      was_cancelled = true;
    }
  });
  EXPECT_TRUE(was_cancelled);
}

TEST(DeviceOfRank, is_the_next_gpu_for_the_next_rank) {
  EXPECT_EQ(device_of_rank("cuda:0", 0, {}), "cuda:0");
  EXPECT_EQ(device_of_rank("cuda:0", 3, {}), "cuda:3");
  EXPECT_EQ(device_of_rank("cuda:2", 1, "0,1,2,3"), "cuda:3");
  EXPECT_EQ(device_of_rank("sim:h200", 3, {}), "sim:h200");
}

TEST(DeviceOfRank, is_the_only_visible_one) {
  EXPECT_EQ(device_of_rank("cuda:0", 3, "3"), "cuda:0");
}

}  // namespace
}  // namespace feedrate
