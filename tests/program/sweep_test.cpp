// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/report/csv.h"
#include "analysis/report/load_run.h"
#include "core/host/storage.h"
#include "tests/program/workspace.h"
#include "tests/support/golden.h"
#include "tests/support/scoped_variable.h"

namespace feedrate::testing {
namespace {

constexpr const char* kMake = "path: ds, make: {preset: cifar10-like, count: 16}";
constexpr const char* kWorkers = "batch_size: 4, num_workers: [0, 1]";

class Sweep : public Workspace {
 protected:
  void SetUp() override {
    write("s.yaml", sweep_config(std::string(kMake) + ", format: [folder, tar]", kWorkers));
  }

  RunResult sweep(std::string_view options = "", std::string_view out = "results") const {
    finished_ = feedrate(fmt::format("sweep s.yaml --out {} {}", out, options));
    EXPECT_EQ(finished_.exit_code, 0) << finished_.err;
    return load_run(path(out));
  }

  std::string first_line(std::string_view file) const {
    const std::string text = read(file);
    return text.substr(0, text.find('\n') + 1);
  }

  mutable Finished finished_;
};

TEST_F(Sweep, prints_its_progress_and_answer_and_leaves_three_files) {
  EXPECT_TRUE(sweep().simulated);
  EXPECT_THAT(finished_.err, AllOf(HasSubstr("making ds: 16 images"), HasSubstr("converted to tar"),
                                   HasSubstr("[4/4] ")));
  const auto is_simulated = HasSubstr("simulated device: sim:a100-pcie4");
  EXPECT_THAT(finished_.out, AllOf(StartsWith("Does the loader keep up?"), is_simulated,
                                   HasSubstr("samples_per_second"), HasSubstr("Proposed: "),
                                   HasSubstr("DataLoader("), HasSubstr("Written: results/")));
  EXPECT_THAT(listing(), ElementsAre("ds", "ds.feedrate", "results", "s.yaml"));
  EXPECT_THAT(listing("results"), ElementsAre("cells.csv", "run.json", "table.md"));
  EXPECT_THAT(read("results/table.md"), is_simulated);
  EXPECT_TRUE(read_cells_csv(path("results/cells.csv")).simulated);
  expect_golden(first_line("results/cells.csv"), "tests/golden/cli/cells_header.csv");
  const auto json = nlohmann::json::parse(read("results/run.json"));
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("simulated"), true);
  EXPECT_EQ(json.at("config_text"), read("s.yaml"));
  EXPECT_THAT(json.at("command").get<std::string>(), HasSubstr("sweep s.yaml --out results"));
}

TEST_F(Sweep, with_json_stdout_has_run_json_alone) {
  static_cast<void>(sweep("--json"));
  EXPECT_EQ(nlohmann::json::parse(finished_.out), nlohmann::json::parse(read("results/run.json")));
  EXPECT_THAT(finished_.err, HasSubstr("Proposed: "));
}

TEST_F(Sweep, cache_is_an_axis_whose_effect_is_a_column) {
  if (read_storage_info(path(".")).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << path(".");
  }
  write("c.yaml", sweep_config("path: ds, make: {preset: cifar10-like, count: 300}, "
                               "format: [folder, tar], cache: [warm, cold]"));
  prepare("sweep c.yaml --out results");
  const RunResult run = load_run(path("results"));
  ASSERT_EQ(run.cells.size(), 4U);
  for (const CellResult& cell : cells_with(run, "cache", "warm")) {
    EXPECT_EQ(*find_metric(cell.metrics, "cached_before"), 1.0);
    EXPECT_EQ(*find_metric(cell.metrics, "storage_read_bytes"), 0.0);
  }
  for (const CellResult& cell : cells_with(run, "cache", "cold")) {
    EXPECT_LT(*find_metric(cell.metrics, "cached_before"), 1.0);
    EXPECT_GT(*find_metric(cell.metrics, "storage_read_bytes"), 0.0);
  }
  EXPECT_THAT(run.environment.warnings, Not(Contains(HasSubstr("smaller than memory"))));
}

TEST_F(Sweep, a_cell_that_would_not_stay_cold_fails_and_says_what_to_change) {
  write("c.yaml", sweep_config("path: ds, make: {preset: cifar10-like, count: 8}, cache: cold"));
  EXPECT_EQ(feedrate("sweep c.yaml --out results").exit_code, 1);
  const RunResult run = load_run(path("results"));
  EXPECT_THAT(run.cells.at(0).reason,
              AllOf(HasSubstr("the dataset has 8"), HasSubstr("measure.steps")));
}

TEST_F(Sweep, without_out_the_results_go_to_a_folder_named_by_the_config) {
  prepare("sweep s.yaml");
  const std::vector<std::string> runs = listing("feedrate-results");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_THAT(runs[0], StartsWith("s-2"));
}

TEST_F(Sweep, begun_within_the_same_second_have_a_folder_each) {
  constexpr std::size_t kSweeps = 4;
  make_images();
  write("t.yaml", sweep_config("path: ds"));
  std::vector<std::unique_ptr<FeedrateChild>> sweeps;
  for (std::size_t i = 0; i < kSweeps; ++i) {
    sweeps.push_back(std::make_unique<FeedrateChild>("sweep t.yaml", setup()));
  }
  for (const auto& sweep : sweeps) EXPECT_EQ(sweep->wait().exit_code, 0);
  EXPECT_EQ(listing("feedrate-results").size(), kSweeps);
}

TEST_F(Sweep, does_not_replace_another_run_unless_told_to) {
  ASSERT_EQ(sweep().cells.size(), 4U);
  write("results/recommendation.json", "{}");
  refuses("sweep s.yaml --only format=tar --out results",
          {"results: holds the results", "--force"});
  EXPECT_EQ(load_run(path("results")).cells.size(), 4U);
  EXPECT_EQ(sweep("--only format=tar --force").cells.size(), 2U);
  EXPECT_FALSE(exists("results/recommendation.json"));
}

TEST_F(Sweep, says_in_its_results_that_a_copy_lacks_records) {
  make_images("--encoding jpeg");
  cut_in_half("ds/cat/0000003.jpg");
  write("d.yaml", sweep_config("path: ds, format: tar"));
  const Finished done = succeeds("sweep d.yaml --out results");
  const auto lacks = HasSubstr("lacks 1 record of ds that cannot be decoded");
  EXPECT_THAT(done.err, lacks);
  EXPECT_THAT(done.out, lacks);
  EXPECT_THAT(read("results/table.md"), lacks);
  EXPECT_THAT(load_run(path("results")).environment.warnings, Contains(lacks));
}

TEST_F(Sweep, with_a_closed_stream_does_not_reuse_its_descriptor) {
  make_images();
  write("t.yaml", sweep_config("path: ds", "batch_size: [1, 2, 4]"));
  ChildSetup setup = this->setup();
  setup.before_exec = [] { return ::close(STDIN_FILENO) == 0; };
  FeedrateChild child("sweep t.yaml --out results --axis step_ms=50", setup);
  ASSERT_TRUE(child.wait_for_error_text("[1/3]"));
  EXPECT_EQ(std::filesystem::read_symlink(fmt::format("/proc/{}/fd/0", child.pid())), "/dev/null");
  EXPECT_EQ(child.wait().exit_code, 0);
}

/// Simulates a reached process limit, which does not apply to root.
bool forbid_threads() {
  std::array<sock_filter, 5> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{program.size(), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST_F(Sweep, with_the_process_limit_reached_names_what_could_not_start) {
  ChildSetup setup = this->setup();
  // LeakSanitizer needs a process of its own
  setup.before_exec = [] {
    return ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1) == 0 && forbid_threads();
  };
  const Finished done = run_feedrate("env", setup);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("feedrate: the signal thread"), HasSubstr("ulimit -u")));
}

TEST_F(Sweep, steps_and_repeats_replace_those_of_the_file) {
  const RunResult run = sweep("--steps 5 --repeats 2 --only format=folder");
  for (const CellResult& cell : run.cells) {
    EXPECT_EQ(*find_metric(cell.metrics, "repeats"), 2.0);
    ASSERT_EQ(cell.repeats.size(), 2U);
    EXPECT_EQ(cell.repeats.front().series.at("step_time").size(), 5U);
  }
}

TEST_F(Sweep, a_skipped_cell_is_listed_with_its_reason) {
  const RunResult run = sweep("--axis prefetch_factor=2,4");
  const CellResult same = cells_with(run, "num_workers", "0").back();
  EXPECT_EQ(same.outcome, Outcome::kSkipped);
  EXPECT_THAT(same.reason, HasSubstr("prefetch_factor"));
  EXPECT_THAT(finished_.out, HasSubstr(same.reason));
}

TEST_F(Sweep, what_pytorch_refuses_when_it_iterates_is_a_failed_cell) {
  fails("sweep s.yaml --axis num_workers=1 --axis prefetch_factor=0,1 --out r");
  const RunResult run = load_run(path("r"));
  for (const CellResult& cell : cells_with(run, "prefetch_factor", "0")) {
    EXPECT_EQ(cell.outcome, Outcome::kFailed);
    EXPECT_THAT(cell.reason, HasSubstr("prefetch_factor: 0 loads no batch"));
  }
  for (const CellResult& cell : cells_with(run, "prefetch_factor", "1")) {
    EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
  }
}

// The sweep of Sweep with reference cells: one for the trainer, one per format's loader.
class Limits : public Sweep {
 protected:
  void SetUp() override {
    Sweep::SetUp();
    std::string text = read("s.yaml");
    constexpr std::string_view kWithout = "limits: false";
    text.replace(text.find(kWithout), kWithout.size(), "limits: true");
    write("s.yaml", text);
  }
};

TEST_F(Limits, are_measured_and_every_other_cell_is_judged_by_them) {
  const RunResult run = sweep();
  ASSERT_EQ(run.cells.size(), 4U + 1U + 2U);
  EXPECT_EQ(cells_with(run, "loader", "cached").size(), 1U);
  EXPECT_EQ(cells_with(run, "trainer", "discard").size(), 2U);
  for (std::size_t i = 0; i < 4; ++i) {
    const CellResult& cell = run.cells[i];
    for (const char* tag : {"trainer_limit", "loader_limit", "stall", "headspace"}) {
      EXPECT_NE(find_metric(cell.metrics, tag), nullptr) << tag;
    }
    EXPECT_NE(cell.bottleneck, "");
  }
  EXPECT_THAT(finished_.out, HasSubstr("Bottleneck: "));
}

TEST_F(Limits, are_left_out_on_the_command_line) {
  EXPECT_EQ(sweep("--no-limits").cells.size(), 4U);
}

TEST_F(Limits, are_named_in_the_plan) {
  EXPECT_THAT(feedrate("plan s.yaml").out, AllOf(HasSubstr("7 cells to measure, 0 skipped"),
                                                 HasSubstr("reference cell of the trainer"),
                                                 HasSubstr("reference cell of the loader")));
}

using Plan = Sweep;

TEST_F(Plan, warns_once_of_more_workers_than_cpus) {
  const std::string out = feedrate("plan s.yaml --axis num_workers=0,4095,4096").out;
  const std::size_t warning = out.find("Warning: num_workers: 4096 workers share");
  ASSERT_NE(warning, std::string::npos) << out;
  EXPECT_EQ(out.find("Warning: num_workers", warning + 1), std::string::npos);
}

TEST_F(Plan, lists_the_cells_and_runs_nothing) {
  EXPECT_THAT(succeeds("plan s.yaml").out,
              AllOf(HasSubstr("4 cells to measure, 0 skipped"), HasSubstr("Time: ")));
  EXPECT_THAT(listing(), ElementsAre("s.yaml"));
}

TEST_F(Plan, knows_the_time_from_short_starts_and_leaves_nothing) {
  const Finished done = feedrate("plan s.yaml");
  EXPECT_THAT(done.out, AllOf(HasSubstr("Time: about "), HasSubstr(" short starts")));
  EXPECT_THAT(listing(), ElementsAre("s.yaml"));
  EXPECT_THAT(feedrate("plan s.yaml --no-probe").out,
              AllOf(HasSubstr("Time: at least "), Not(HasSubstr("short starts"))));
}

// Loading dominates: a step has 64 times the samples.
TEST_F(Plan, counts_the_time_of_loading) {
  const Finished done = succeeds(
      "plan s.yaml --json --axis trainer=discard --axis num_workers=0 --axis batch_size=16,1024 "
      "--only format=folder");
  const auto cells = nlohmann::json::parse(done.out).at("cells");
  EXPECT_GT(cells.at(1).at("estimated_seconds").get<double>(),
            2.0 * cells.at(0).at("estimated_seconds").get<double>());
}

TEST_F(Plan, as_json_has_every_cell_and_why_one_is_skipped) {
  const Finished done = succeeds("plan s.yaml --axis prefetch_factor=2,4 --json");
  const auto cells = nlohmann::json::parse(done.out).at("cells");
  EXPECT_EQ(cells.size(), 8U);
  const auto skipped = [](const auto& cell) { return !cell.at("skip_reason").is_null(); };
  EXPECT_EQ(std::count_if(cells.begin(), cells.end(), skipped), 2);
  EXPECT_EQ(cells.at(0).at("settings").at("prefetch_factor"),
            "");  // without workers nothing is prefetched
  EXPECT_GT(cells.at(0).at("least_seconds"), 0.0);
  EXPECT_GT(cells.at(0).at("estimated_seconds"), cells.at(0).at("least_seconds"));
}

TEST_F(Plan, drops_columns_on_a_narrow_terminal_and_names_them) {
  const ScopedVariable columns("COLUMNS", "30");
  EXPECT_THAT(feedrate("plan s.yaml").out,
              HasSubstr("Not shown, to fit the terminal: pinned, memory"));
}

TEST_F(Plan, knows_the_memory_once_the_dataset_is_there) {
  EXPECT_THAT(feedrate("plan s.yaml").out, HasSubstr("Memory: not known"));
  make_images();
  EXPECT_THAT(feedrate("plan s.yaml").out, HasSubstr("Memory: up to "));
}

}  // namespace
}  // namespace feedrate::testing
