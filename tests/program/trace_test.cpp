// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>

#include <glob.h>
#include <nlohmann/json.hpp>

#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kThreeSteps =
    FEEDRATE_SOURCE_DIR "/tests/golden/profile/gpu_three_steps.json";
constexpr const char* kOldLayout = FEEDRATE_SOURCE_DIR "/tests/golden/profile/old_layout.json";

class Trace : public Workspace {
 protected:
  [[nodiscard]] Json json_of(const std::string& trace) const {
    prepare(fmt::format("trace {} --json out.json", trace));
    return Json::parse(read("out.json"));
  }
};

TEST_F(Trace, says_what_was_recorded_and_found) {
  const Finished done = succeeds(fmt::format("trace {}", kThreeSteps));
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(done.out,
              AllOf(HasSubstr(kThreeSteps), HasSubstr("cuda_runtime_version: 12010"),
                    HasSubstr("33 events, 23 of them used"),
                    HasSubstr("3 steps, ProfilerStep#4 to #6"), HasSubstr("Execution Summary"),
                    HasSubstr("A100-SXM4-40GB"), HasSubstr("Performance Recommendation")));
  EXPECT_THAT(
      done.out,
      AllOf(HasSubstr("Steps (ms)"), HasSubstr("next() exposed"), HasSubstr("3 calls of next()"),
            HasSubstr("1 copy from pageable memory: 1.0 MB in 0.100 ms, 10.00 GB/s"),
            HasSubstr("2 copies from pinned memory"),
            HasSubstr("waited for 1 of them, 0.100 ms in total")));
}

// Computed by hand: step 4 lasts until its kernel ends at 2180 us; each moment goes to the first
// role.
TEST_F(Trace, the_figures_are_those_by_hand) {
  const Json json = json_of(kThreeSteps);
  ASSERT_EQ(json["steps"].size(), 3U);
  const auto expect_step = [&](std::size_t i, const std::vector<double>& microseconds) {
    const Json& step = json["steps"][i];
    std::vector<double> found{step["total"]};
    for (const char* role : {"Kernel", "Memcpy", "Runtime", "DataLoader", "CPU Exec", "Other"}) {
      found.push_back(step["roles"][role]);
    }
    found.push_back(step["next_raw"]);
    found.push_back(step["next_exposed"]);
    ASSERT_EQ(found.size(), microseconds.size());
    for (std::size_t at = 0; at < found.size(); ++at) {
      EXPECT_NEAR(1e6 * found[at], microseconds[at], 1e-6) << "step " << i << ", figure " << at;
    }
  };
  expect_step(0, {1180, 700, 100, 35, 300, 20, 25, 470, 300});
  expect_step(1, {820, 500, 50, 100, 60, 20, 90, 130, 130});
  expect_step(2, {1000, 500, 10, 30, 300, 10, 150, 300, 300});
  EXPECT_NEAR(json["step_time"], 0.001, 1e-9);
  EXPECT_NEAR(json["shares"]["DataLoader"], 0.22, 1e-9);
  EXPECT_EQ(json["copies"][0]["source"], "pageable");
  EXPECT_EQ(json["copies"][0]["blocking"], 1);
  EXPECT_EQ(json["facts"]["cuda_driver_version"], "12020");
}

// Computed by hand: the GPU works from 1340 to 3980 us, with gaps of 40, 160, 90 and 490 us.
TEST_F(Trace, the_times_of_the_gpu_are_those_by_hand) {
  const Json json = json_of(kThreeSteps);
  const auto expect = [](const Json& found, const std::map<std::string, double>& microseconds) {
    for (const auto& [name, value] : microseconds) {
      EXPECT_NEAR(1e6 * found.at(name).get<double>(), value, 1e-6) << name;
    }
  };
  const Json& times = json.at("gpu_times").at(0);
  expect(times, {{"steps", 3000},
                 {"copies", 200},
                 {"exposed_copy", 160},
                 {"idle", 1140},
                 {"idle_in_next", 730},
                 {"idle_in_runtime", 95},
                 {"idle_in_operators", 50},
                 {"idle_elsewhere", 265}});
  EXPECT_NEAR(times.at("gpu_busy").get<double>(), 1700.0 / 3000, 1e-9);
  EXPECT_NEAR(times.at("copy_overlap").get<double>(), 0.2, 1e-9);
  expect(json.at("temporal_breakdown").at(0),
         {{"total", 2640}, {"idle", 780}, {"compute", 1700}, {"non_compute", 160}});
  // the last kernel follows the previous one on its stream by 500 us; every launch was too late
  expect(json.at("idle_breakdown").at(0), {{"host_wait", 790}, {"kernel_wait", 0}, {"other", 0}});
}

TEST_F(Trace, an_old_trace_of_invalid_json_is_read_with_a_warning) {
  EXPECT_THAT(succeeds(fmt::format("trace {}", kOldLayout)).out,
              AllOf(HasSubstr("4 of 9 events are invalid JSON"),
                    HasSubstr("2 steps, ProfilerStep#1 to #2"), Not(HasSubstr("damaged"))));
}

TEST_F(Trace, a_trace_of_a_cpu_has_its_figures_and_a_note) {
  write("cpu.json",
        R"([{"ph": "X", "cat": "user_annotation", "name": "enumerate(DataLoader)#x.__next__",
             "ts": 1, "dur": 400, "pid": 1, "tid": 1},
            {"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 501, "dur": 500, "pid": 1, "tid": 1}])");
  EXPECT_THAT(
      succeeds("trace cpu.json").out,
      AllOf(HasSubstr("no GPU activity"), HasSubstr("No step is marked"), HasSubstr("40.00"),
            HasSubstr("1 call of next()"), Not(HasSubstr("Copies to the GPU"))));
}

TEST_F(Trace, damage_is_reported_and_events_before_it_are_read) {
  std::string text = read_file(kThreeSteps);
  text.replace(text.rfind("\"cpu_op\", \"name\": \"aten"), 8, "\"cpu_op  ");
  write("damaged.json", text);
  EXPECT_THAT(succeeds("trace damaged.json").out,
              AllOf(HasSubstr("ProfilerStep#4"), HasSubstr("is damaged near byte"),
                    Not(HasSubstr("is truncated"))));
  EXPECT_GT(json_of("damaged.json").at("damaged_at"), 1000);
}

TEST_F(Trace, a_truncated_file_is_reported_and_read) {
  const std::string text = read_file(kThreeSteps);
  write("cut.json", text.substr(0, text.size() - 200));
  EXPECT_THAT(succeeds("trace cut.json").out,
              AllOf(HasSubstr("is truncated"), Not(HasSubstr("damaged"))));
}

TEST_F(Trace, writes_the_steps_as_a_trainer_for_sweeps) {
  EXPECT_THAT(succeeds(fmt::format("trace {} --config-out step.yaml", kThreeSteps)).out,
              HasSubstr("feedrate sweep step.yaml"));
  const std::string yaml = read("step.yaml");
  EXPECT_THAT(yaml, AllOf(HasSubstr("# How many workers"), HasSubstr("3 steps of 1.000 ms"),
                          HasSubstr("0.243 ms of these, 24.33 %"), HasSubstr("kind: trace"),
                          HasSubstr("0.880, 0.690, 0.700]")));
}

TEST_F(Trace, the_sweep_that_it_writes_runs) {
  make_images();
  prepare(fmt::format("trace {} --config-out step.yaml", kThreeSteps));
  std::string yaml = read("step.yaml");
  const std::string path = "data/my-dataset";
  write("step.yaml", yaml.replace(yaml.find(path), path.size(), "ds"));
  prepare(
      "sweep step.yaml --device sim:a100-pcie4 --axis num_workers=0 --axis batch_size=4 --steps 6 "
      "--repeats 1 --out out");
  EXPECT_THAT(read("out/cells.csv"), AllOf(HasSubstr("trace"), HasSubstr("0.880 0.690 0.700")));
}

TEST_F(Trace, does_not_replace_its_input) {
  const std::string text = read_file(kThreeSteps);
  write("t.json", text);
  std::filesystem::create_symlink("t.json", path("link.json"));
  for (const char* options : {"t.json --json t.json", "t.json --json ./link.json",
                              "link.json --config-out t.json", ". --json t.json"}) {
    refuses(fmt::format("trace {}", options), {"would replace its own input; name another file"});
    EXPECT_EQ(read("t.json"), text) << options;
  }
}

TEST_F(Trace, without_steps_there_is_no_trainer) {
  write("cpu.json", R"([{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 4}])");
  refuses("trace cpu.json --config-out step.yaml", {"cpu.json marks no steps", "prof.step()"});
  EXPECT_FALSE(exists("step.yaml"));
}

TEST_F(Trace, what_is_no_trace_is_refused) {
  write("page.json", "<!DOCTYPE html><html>404</html>");
  const Finished page =
      fails("trace page.json", {"page.json: is not a trace", "export_chrome_trace"});
  EXPECT_THAT(page.out, IsEmpty());
  refuses("trace none.json", {"none.json: does not exist"});
}

// Expands the pattern as a shell does.
std::string expanded(const std::filesystem::path& folder, const std::string& pattern) {
  glob_t found{};
  EXPECT_EQ(::glob((folder / pattern).c_str(), 0, nullptr, &found), 0) << pattern;
  std::string names;
  for (std::size_t i = 0; i < found.gl_pathc; ++i) names += fmt::format(" {}", found.gl_pathv[i]);
  ::globfree(&found);
  return names;
}

class TraceOfRanks : public Trace {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(path("log"));
    std::string text = read_file(kThreeSteps);
    for (const int rank : {1, 0}) {
      std::string of_rank = text;
      of_rank.insert(of_rank.find('{') + 1,
                     fmt::format(R"("distributedInfo": {{"rank": {}}},)", rank));
      write(fmt::format("log/host_{}.17.pt.trace.json", 9 - rank), of_rank);
    }
  }
};

TEST_F(TraceOfRanks, the_command_of_the_documentation_works) {
  const std::string page = read_file(FEEDRATE_SOURCE_DIR "/docs/profile.md");
  const std::string before = "`feedrate trace log/";
  const std::size_t begin = page.find(before);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t pattern = begin + before.size() - 4;
  const std::string files = page.substr(pattern, page.find('`', pattern) - pattern);
  const Finished done = succeeds("trace" + expanded(path("."), files));
  const std::size_t table = done.out.find("Traces side by side");
  ASSERT_NE(table, std::string::npos);
  const std::size_t first = done.out.find("   0      3      1.000", table);
  const std::size_t second = done.out.find("   1      3      1.000", table);
  EXPECT_LT(first, second) << done.out.substr(table);
  EXPECT_NE(second, std::string::npos);
  EXPECT_NE(done.out.find("Communication overlapped (%)", table), std::string::npos);
}

TEST_F(TraceOfRanks, a_folder_is_all_of_its_traces) {
  prepare("trace log --json out.json");
  EXPECT_EQ(Json::parse(read("out.json")).size(), 2U);
  std::filesystem::create_directory(path("empty"));
  refuses("trace empty", {"empty: has no .json"});
}

TEST_F(TraceOfRanks, a_trainer_takes_the_steps_of_one_of_them) {
  refuses("trace log --config-out step.yaml", {"--config-out: needs one trace"});
}

}  // namespace
}  // namespace feedrate::testing
