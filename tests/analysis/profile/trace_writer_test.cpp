// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_writer.h"

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace feedrate {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Activity host(Timeline& timeline, Role role, const char* name, TimeInterval span) {
  Activity activity;
  activity.role = role;
  activity.name = timeline.names.id(name);
  activity.span = span;
  activity.process = 1000;
  activity.lane = 1000;
  return activity;
}

// A step that launches one copy and has one counter sample; times in ns, starting at 5 s.
Timeline one_step() {
  const auto at = [](std::int64_t ns) { return Nanos(5'000'000'000 + ns); };
  Timeline timeline;
  timeline.main_lane = {1000, 1000};
  timeline.lane_names[{1000, 1000}] = "training loop";
  timeline.lane_names[{0, 7}] = "copy stream";
  timeline.gpus.push_back({.device = 0,
                           .name = "simulated: a100-pcie4",
                           .memory_bytes = 80'000'000'000,
                           .compute_major = 8,
                           .multiprocessors = 108});
  timeline.steps.push_back({7, {at(0), at(30'000)}});
  timeline.activities.push_back(
      host(timeline, Role::kDataLoader, "enumerate(DataLoader)#a \"b\".__next__", {at(0), at(1)}));
  timeline.activities.push_back(
      host(timeline, Role::kRuntime, "cudaMemcpyAsync", {at(1'001), at(2'500)}));
  timeline.activities.back().correlation = 3;
  Activity copy =
      host(timeline, Role::kMemcpy, "Memcpy HtoD (Pinned -> Device)", {at(2'000), at(12'000)});
  copy.device = 0;
  copy.lane = 7;
  copy.correlation = 3;
  copy.bytes = 250'000;
  timeline.activities.push_back(copy);
  timeline.counters["ready batches"].push_back({at(1'500), 2.0});
  return timeline;
}

std::string text_of(const Timeline& timeline) {
  std::ostringstream out;
  write_trace(out, timeline, {"feedrate", {{"simulated", "yes: a100-pcie4"}}});
  return out.str();
}

// HTA searches for `"rank": N` with the space.
TEST(TraceWriter, by_hand) {
  EXPECT_EQ(text_of(one_step()),
            R"--({"schemaVersion": 1, "displayTimeUnit": "ms", "distributedInfo": {"rank": 0},
"simulated": "yes: a100-pcie4",
"deviceProperties": [{"id": 0, "name": "simulated: a100-pcie4", "totalGlobalMem": 80000000000, "computeMajor": 8, "computeMinor": 0, "numSms": 108}],
"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "GPU 0: simulated: a100-pcie4"}},
{"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "copy stream"}},
{"ph": "M", "name": "thread_sort_index", "pid": 0, "tid": 7, "args": {"sort_index": 0}},
{"ph": "M", "name": "process_name", "pid": 1000, "tid": 0, "args": {"name": "feedrate"}},
{"ph": "M", "name": "thread_name", "pid": 1000, "tid": 1000, "args": {"name": "training loop"}},
{"ph": "M", "name": "thread_sort_index", "pid": 1000, "tid": 1000, "args": {"sort_index": 1}},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 1000, "tid": 1000, "ts": 0.000, "dur": 30.000, "args": {}},
{"ph": "X", "cat": "user_annotation", "name": "enumerate(DataLoader)#a \"b\".__next__", "pid": 1000, "tid": 1000, "ts": 0.000, "dur": 0.001, "args": {}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1000, "tid": 1000, "ts": 1.001, "dur": 1.499, "args": {"correlation": 3}},
{"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 3, "pid": 1000, "tid": 1000, "ts": 1.001},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 2.000, "dur": 10.000, "args": {"device": 0, "stream": 7, "correlation": 3, "bytes": 250000, "memory bandwidth (GB/s)": 25}},
{"ph": "f", "cat": "ac2g", "name": "ac2g", "id": 3, "pid": 0, "tid": 7, "ts": 2.000, "bp": "e"},
{"ph": "C", "name": "ready", "pid": 1000, "ts": 1.500, "args": {"batches": 2}}
]}
)--");
  EXPECT_TRUE(json::accept(text_of(one_step())));
}

TEST(TraceWriter, a_counter_of_one_word_has_values) {
  Timeline timeline;
  timeline.counters["power"].push_back({Nanos(5'000'000'000), 300.0});
  EXPECT_THAT(text_of(timeline),
              HasSubstr(R"("name": "power", "pid": 0, "ts": 0.000, "args": {"value": 300})"));
}

TEST(TraceWriter, rejects_numbers_that_confuse_gpus_and_processes) {
  const auto numbered = [](std::int32_t gpu, std::int64_t process) {
    Timeline timeline = one_step();
    for (Activity& activity : timeline.activities) {
      if (activity.device == kHost) {
        activity.process = process;
      } else {
        activity.device = gpu;
      }
    }
    return timeline;
  };
  EXPECT_NO_THROW(text_of(numbered(63, 64)));
  EXPECT_THROW(text_of(numbered(64, 64)), std::invalid_argument);
  EXPECT_THROW(text_of(numbered(-2, 64)), std::invalid_argument);
  EXPECT_THROW(text_of(numbered(63, 63)), std::invalid_argument);
}

TEST(TraceWriter, an_empty_timeline_is_a_valid_trace) {
  EXPECT_TRUE(json::parse(text_of({})).at("traceEvents").empty());
}

}  // namespace
}  // namespace feedrate
