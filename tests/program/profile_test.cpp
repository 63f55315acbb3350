// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

using Json = nlohmann::json;

class Profile : public Workspace {
 protected:
  // Cell 0 loads inline, cell 1 with two workers and pinned batches.
  Finished sweep(const std::string& flags, const std::string& measure = "") {
    make_images();
    write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 2], pin_memory: true",
                                 measure));
    return feedrate("sweep s.yaml --out results " + flags);
  }

  Json trace_of(int cell) {
    return Json::parse(read(fmt::format("results/traces/cell-{:03}.json", cell)));
  }
};

std::size_t count_named(const Json& trace, const std::string& name) {
  std::size_t count = 0;
  for (const Json& event : trace.at("traceEvents")) count += event.at("name") == name ? 1 : 0;
  return count;
}

bool has_lane(const Json& trace, const std::string& name) {
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name" && event.at("args").at("name") == name) return true;
  }
  return false;
}

TEST_F(Profile, a_trace_has_a_lane_for_each_thread_and_process) {
  const Finished done = sweep("--trace");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("traces/"));
  const Json trace = trace_of(1);
  for (const char* lane :
       {"training loop", "worker 0", "worker 1", "pin thread", "compute and copy stream"}) {
    EXPECT_TRUE(has_lane(trace, lane)) << lane;
  }
  EXPECT_GT(count_named(trace, "Memcpy HtoD (Pinned -> Device)"), 0U);
  EXPECT_GT(count_named(trace, "ready"), 0U);
  EXPECT_FALSE(has_lane(trace_of(0), "worker 0"));
  EXPECT_FALSE(exists("results/profile.txt"));
}

TEST_F(Profile, events_of_a_lane_nest_or_are_disjoint) {
  ASSERT_EQ(sweep("--trace").exit_code, 0);
  const Json trace = trace_of(1);
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> lanes;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const double begin = event.at("ts");
    lanes[{event.at("pid"), event.at("tid")}].emplace_back(begin,
                                                           begin + event.at("dur").get<double>());
  }
  for (auto& [lane, spans] : lanes) {
    std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::vector<double> open;
    for (const auto& [begin, end] : spans) {
      while (!open.empty() && open.back() <= begin + 1e-6) open.pop_back();
      EXPECT_TRUE(open.empty() || end <= open.back() + 1e-3)
          << lane.first << '/' << lane.second << " at " << begin;
      open.push_back(end);
    }
  }
}

TEST_F(Profile, the_summary_names_the_parts_of_a_step_and_what_to_do) {
  const Finished done = sweep("--profile");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string text = read("results/profile.txt");
  EXPECT_THAT(
      text, AllOf(HasSubstr("num_workers=0"), HasSubstr("num_workers=2"),
                  HasSubstr("Execution Summary"), HasSubstr("DataLoader"), HasSubstr("GPU Summary"),
                  HasSubstr("Performance Recommendation"), HasSubstr("simulated device")));
  EXPECT_THAT(done.out, AllOf(HasSubstr("Time breakdown"), HasSubstr("Execution Summary"),
                              HasSubstr("profile.txt")));
  EXPECT_FALSE(exists("results/traces"));
}

// The tables that can be recomputed from the trace alone.
std::string tables(const std::string& text, const std::string& from) {
  const std::size_t begin = text.find("Execution Summary", text.find(from));
  return text.substr(begin, text.find("Performance Recommendation", begin) - begin);
}

TEST_F(Profile, a_written_trace_has_the_same_summary_as_the_run) {
  ASSERT_EQ(sweep("--profile --trace").exit_code, 0);
  const Finished done = succeeds("trace results/traces/cell-001.json");
  const std::string of_run = tables(read("results/profile.txt"), "== cell 1");
  EXPECT_THAT(of_run, AllOf(HasSubstr("GPU Time"), HasSubstr("Temporal Breakdown"),
                            HasSubstr("Idle Breakdown")));
  EXPECT_EQ(tables(done.out, ""), of_run);
}

TEST_F(Profile, a_schedule_says_which_steps_are_marked) {
  ASSERT_EQ(sweep("--trace", "profile: {wait: 1, warmup: 1, active: 2, repeat: 1}").exit_code, 0);
  const Json trace = trace_of(0);
  EXPECT_EQ(count_named(trace, "ProfilerStep#1"), 0U);
  EXPECT_EQ(count_named(trace, "ProfilerStep#2"), 1U);
  EXPECT_EQ(count_named(trace, "ProfilerStep#3"), 1U);
  EXPECT_EQ(count_named(trace, "ProfilerStep#4"), 0U);
}

TEST_F(Profile, a_wrong_schedule_is_named) {
  const Finished done = sweep("--profile", "profile: {active: 0}");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("measure.profile.active"));
}

}  // namespace
}  // namespace feedrate::testing
