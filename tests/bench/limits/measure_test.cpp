// SPDX-License-Identifier: Apache-2.0
// The benchmarks report a known time: 0.5 s per iteration.
#include "bench/limits/measure.h"

#include <atomic>
#include <cmath>

#include <benchmark/benchmark.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/message_of.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Body = std::function<void(benchmark::State&)>;

LimitBenchmark timed(const char* name, const char* unit, Body finish) {
  return {{.name = name, .unit = unit},
          [finish = std::move(finish)](benchmark::State& state) {
            for (auto _ : state) state.SetIterationTime(0.5);
            finish(state);
          },
          Timing::kManual};
}

TopicPlan plan_rates(const LimitsSetting& /*setting*/) {
  TopicPlan plan;
  plan.benchmarks.push_back(timed("bytes", "B/s", [](benchmark::State& state) {
    state.SetBytesProcessed(state.iterations() * 1000);
  }));
  plan.benchmarks.push_back(timed("items", "images/s", [](benchmark::State& state) {
    state.SetItemsProcessed(state.iterations() * 3);
    state.counters[kSizeCounter] = 1234.4;
    state.SetLabel("a warning");
  }));
  plan.benchmarks.push_back(timed("time", "s", [](benchmark::State&) {}));
  return plan;
}

TopicPlan plan_trouble(const LimitsSetting& /*setting*/) {
  TopicPlan plan;
  plan.benchmarks.push_back(
      {{.name = "at once", .unit = "s"}, [](benchmark::State&) { throw Error("x: is broken"); }});
  plan.benchmarks.push_back({{.name = "later", .unit = "s"}, [](benchmark::State& state) {
                               for (auto _ : state) throw Error("y: is broken");
                             }});
  LimitBenchmark threads{{.name = "in threads", .threads = 3, .unit = "s"},
                         [](benchmark::State& state) {
                           if (state.thread_index() == 1) throw Error("z: is broken");
                           for (auto _ : state) benchmark::ClobberMemory();
                         }};
  threads.in_threads = true;
  plan.benchmarks.push_back(threads);
  plan.benchmarks.push_back(timed("after all", "s", [](benchmark::State&) {}));
  return plan;
}

TopicPlan plan_nothing(const LimitsSetting& /*setting*/) { return {{}, "there is no tape drive"}; }

class MeasureLimits : public ::testing::Test {
 protected:
  MeasureLimits() { options_.folder = folder_.path(); }

  Limits measure(std::vector<LimitTopic> topics, const OnLimit& on_limit = {}) {
    return measure_limits(topics, options_, on_limit, stop_.get_token());
  }
  Limits measure(TopicPlan (*plan)(const LimitsSetting&)) {
    return measure({{"topic", "Topic", "About it", plan}});
  }

  testing::TempFolder folder_;
  LimitsOptions options_;
  std::stop_source stop_;
};

std::vector<std::string> names(const Limits& limits) {
  std::vector<std::string> all;
  for (const LimitSection& section : limits.sections) {
    for (const Limit& row : section.rows) all.push_back(section.topic + "/" + row.name);
  }
  return all;
}

TEST_F(MeasureLimits, a_value_is_the_work_divided_by_its_time) {
  const Limits limits = measure(plan_rates);
  ASSERT_THAT(limits.sections, SizeIs(1));
  const auto& rows = limits.sections[0].rows;
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_DOUBLE_EQ(rows[0].value, 2000.0);
  EXPECT_DOUBLE_EQ(rows[1].value, 6.0);
  EXPECT_DOUBLE_EQ(rows[2].value, 0.5);
  EXPECT_EQ(rows[0].topic, "topic");
  EXPECT_EQ(limits.sections[0].title, "Topic");
  EXPECT_FALSE(limits.is_interrupted);
}

TEST_F(MeasureLimits, a_benchmark_reports_its_size_and_its_warning) {
  const Limits limits = measure(plan_rates);
  EXPECT_EQ(limits.sections[0].rows[1].size, 1234U);
  EXPECT_EQ(limits.sections[0].rows[1].warning, "a warning");
  EXPECT_EQ(limits.sections[0].rows[0].warning, "");
}

TEST_F(MeasureLimits, a_failed_benchmark_has_a_reason_and_the_others_continue) {
  const Limits limits = measure(plan_trouble);
  const auto& rows = limits.sections[0].rows;
  ASSERT_THAT(rows, SizeIs(4));
  const char* const reasons[] = {"x: is broken", "y: is broken", "z: is broken"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(rows[i].value)) << rows[i].name;
    EXPECT_EQ(rows[i].warning, reasons[i]);
  }
  EXPECT_DOUBLE_EQ(rows[3].value, 0.5);
}

TEST_F(MeasureLimits, a_body_runs_in_the_threads_of_its_row) {
  static std::atomic<int> most = 0;
  const Limits limits = measure([](const LimitsSetting&) {
    LimitBenchmark one{{.name = "crowd", .threads = 3, .unit = "s"}, [](benchmark::State& state) {
                         most = state.threads();
                         for (auto _ : state) benchmark::ClobberMemory();
                       }};
    one.in_threads = true;
    TopicPlan plan;
    plan.benchmarks.push_back(one);
    return plan;
  });
  EXPECT_EQ(most, 3);
  EXPECT_GT(limits.sections[0].rows[0].value, 0.0);
}

TEST_F(MeasureLimits, only_matching_limits_are_measured) {
  options_.only = "a/(bytes|time)|b/items";
  EXPECT_THAT(names(measure({{"a", "", "", plan_rates}, {"b", "", "", plan_rates}})),
              ElementsAre("a/bytes", "a/time", "b/items"));
}

TEST_F(MeasureLimits, an_expression_that_matches_nothing_is_refused_with_the_topics) {
  options_.only = "memroy";
  EXPECT_THAT(testing::message_of<ConfigError>([&] {
                return measure({{"memory", "", "", plan_rates}, {"tape", "", "", plan_nothing}});
              }),
              AllOf(HasSubstr("--only memroy: matches no limit"), HasSubstr("memory, tape")));
}

TEST_F(MeasureLimits, an_invalid_expression_is_refused) {
  options_.only = "(";
  EXPECT_THAT(testing::message_of<ConfigError>([&] { return measure(plan_rates); }),
              HasSubstr("--only (: not a regular expression"));
}

TEST_F(MeasureLimits, a_topic_that_is_left_out_has_a_reason) {
  const Limits limits =
      measure({{"tape", "Tape", "", plan_nothing}, {"memory", "", "", plan_rates}});
  ASSERT_THAT(limits.sections, SizeIs(2));
  EXPECT_EQ(limits.sections[0].left_out, "there is no tape drive");
}

TEST_F(MeasureLimits, a_topic_that_does_not_match_is_omitted) {
  options_.only = "memory";
  EXPECT_THAT(
      measure({{"tape", "Tape", "", plan_nothing}, {"memory", "", "", plan_rates}}).sections,
      SizeIs(1));
}

TEST_F(MeasureLimits, reports_each_measurement_before_it_begins) {
  std::vector<std::string> reported;
  static_cast<void>(measure(
      {{"a", "", "", plan_rates}}, [&](const Limit& row, std::size_t done, std::size_t total) {
        reported.push_back(row.name + std::to_string(done) + std::to_string(total));
      }));
  EXPECT_THAT(reported, ElementsAre("bytes03", "items13", "time23"));
}

TEST_F(MeasureLimits, an_interrupted_run_keeps_its_results) {
  const Limits limits = measure({{"a", "", "", plan_rates}, {"b", "", "", plan_rates}},
                                [&](const Limit& row, std::size_t, std::size_t) {
                                  if (row.name == "items") stop_.request_stop();
                                });
  EXPECT_TRUE(limits.is_interrupted);
  EXPECT_THAT(names(limits), ElementsAre("a/bytes", "a/items"));
}

TEST_F(MeasureLimits, an_interrupted_measurement_is_not_a_failure) {
  const Limits limits =
      measure({{"a", "", "", plan_trouble}},
              [&](const Limit&, std::size_t, std::size_t) { stop_.request_stop(); });
  EXPECT_TRUE(limits.is_interrupted);
  EXPECT_THAT(limits.sections, IsEmpty());
}

TEST_F(MeasureLimits, removes_its_files) {
  static_cast<void>(measure([](const LimitsSetting& setting) {
    testing::write_file(setting.folder / "file", "x");
    return plan_rates(setting);
  }));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(MeasureLimits, needs_a_folder) {
  options_.folder = folder_ / "nowhere";
  EXPECT_THROW(measure(plan_rates), ConfigError);
}

}  // namespace
}  // namespace feedrate
