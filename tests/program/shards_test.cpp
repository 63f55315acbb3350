// SPDX-License-Identifier: Apache-2.0
// sweep --shard, sweep --continue, merge, plan --sbatch, and a batch system's signals: several
// nodes with interruptions measure what one sweep would have measured.
#include <csignal>
#include <cstdlib>

#include <unistd.h>

#include "analysis/report/csv.h"
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"
#include "tests/support/scoped_variable.h"

namespace feedrate::testing {
namespace {

class Shards : public Workspace {
 protected:
  // Six cells of one start; a start takes some tens of milliseconds.
  void prepare_sweep() const {
    make_images();
    write("s.yaml", sweep_config("path: ds", "batch_size: [2, 4], num_workers: [0, 1, 2]"));
  }
};

TEST_F(Shards, merge_to_the_run_that_one_sweep_makes) {
  prepare_sweep();
  prepare("sweep s.yaml --out whole");
  for (const char* const shard : {"1/3", "2/3", "3/3"}) {
    prepare(fmt::format("sweep s.yaml --out r --shard {}", shard));
  }
  EXPECT_THAT(listing("r"), ElementsAre("shard-1-of-3", "shard-2-of-3", "shard-3-of-3"));
  EXPECT_EQ(count(load_run(path("r/shard-2-of-3")), Outcome::kOk), 2U);
  prepare("merge r");
  const RunResult whole = load_run(path("whole"));
  const RunResult merged = load_run(path("r"));
  ASSERT_EQ(merged.cells.size(), whole.cells.size());
  for (std::size_t i = 0; i < whole.cells.size(); ++i) {
    EXPECT_EQ(merged.cells[i].index, whole.cells[i].index);
    EXPECT_EQ(merged.cells[i].settings, whole.cells[i].settings);
    EXPECT_EQ(merged.cells[i].outcome, Outcome::kOk);
    EXPECT_NE(merged.cells[i].node, "");
  }
  EXPECT_EQ(merged.axes, whole.axes);
  EXPECT_EQ(read_cells_csv(path("r/cells.csv")).cells.size(), 6U);
}

TEST_F(Shards, judge_by_the_limits_of_all) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "num_workers: [0, 1]"));
  std::string text = read("s.yaml");
  text.replace(text.find("limits: false"), 13, "limits: true");
  write("s.yaml", text);
  prepare("sweep s.yaml --out r --shard 1/2");
  prepare("sweep s.yaml --out r --shard 2/2");
  prepare("merge r --out merged");
  const RunResult run = load_run(path("merged"));
  EXPECT_GT(run.cells.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NE(find_metric(run.cells[i].metrics, "stall"), nullptr) << "cell " << i;
  }
}

TEST_F(Shards, that_are_missing_are_named_and_can_be_measured_later) {
  prepare_sweep();
  prepare("sweep s.yaml --out r --shard 1/2");
  refuses("merge r", {"shard 2/2 is missing: cells "});
  EXPECT_FALSE(exists("r/run.json"));
  prepare("merge r --partial");
  EXPECT_EQ(count(load_run(path("r")), Outcome::kPending), 3U);
  prepare("sweep --resume r");
  EXPECT_EQ(count(load_run(path("r")), Outcome::kOk), 6U);
}

TEST_F(Shards, are_merged_again_but_not_over_a_sweep) {
  prepare_sweep();
  prepare("sweep s.yaml --out r --shard 1/2");
  prepare("sweep s.yaml --out r --shard 2/2");
  prepare("merge r");
  prepare("merge r");
  prepare("sweep s.yaml --out other");
  refuses("merge r --out other", {"other: holds a run of `feedrate sweep`"});
}

TEST_F(Shards, are_planned_for_a_time_limit) {
  prepare_sweep();
  EXPECT_THAT(succeeds("plan s.yaml --time-limit 8s").out,
              AllOf(HasSubstr("2/2"), HasSubstr("Node time: at least 6 s"),
                    HasSubstr("of the time limit of 8 s")));
}

// The job requests the CPUs of the partition's nodes, and a GPU unless all devices are simulated.
TEST_F(Shards, are_submitted_for_the_partitions_nodes) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "num_workers: [0, 3, 7], max_workers_per_cpu: 1"));
  write("sinfo", "#!/bin/sh\necho 'cpu* 4'; echo 'gpu 16+'\n");
  std::filesystem::permissions(path("sinfo"), std::filesystem::perms::owner_all);
  const ScopedVariable search("PATH", path("").string() + ":" + std::getenv("PATH"));
  const auto script = [&](const std::string& options) {
    return feedrate("plan s.yaml --shards 1 --sbatch --out r " + options).out;
  };
  EXPECT_THAT(script("--axis device=auto"),
              AllOf(HasSubstr(" --cpus-per-task=4 "), HasSubstr(" --gpus=1"),
                    HasSubstr("nodes of 4 CPUs")));
  const ScopedVariable partition("SBATCH_PARTITION", "gpu");
  EXPECT_THAT(script(""), AllOf(HasSubstr(" --cpus-per-task=8 "), Not(HasSubstr("--gpus"))));
}

// The script may be piped into a shell: it must not submit a job that cannot run.
TEST_F(Shards, are_not_submitted_where_something_is_missing) {
  write("s.yaml", sweep_config("path: nowhere"));
  const Finished done = feedrate("plan s.yaml --sbatch --out r");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.exit_code, feedrate("plan s.yaml").exit_code);
  EXPECT_THAT(done.err, HasSubstr("nowhere"));
  EXPECT_EQ(done.out, "");
}

class Continued : public Shards {
 protected:
  static constexpr const char* kLine = "sweep s.yaml --out r --continue";
};

TEST_F(Continued, begins_without_results_and_ends_with_complete_ones) {
  prepare_sweep();
  prepare(kLine);
  const std::string before = read("r/cells.csv");
  EXPECT_THAT(succeeds(kLine).err, HasSubstr("r: 0 repeats are missing"));
  EXPECT_EQ(read("r/cells.csv"), before);
}

TEST_F(Continued, goes_on_with_a_shard_that_was_killed) {
  prepare_sweep();
  const std::string line = std::string(kLine) + " --shard 1/2 --repeats 3";
  FeedrateChild child(line, setup());
  ASSERT_TRUE(child.wait_for_error_text("[2/9] "));
  child.send(SIGKILL);
  static_cast<void>(child.wait());
  const std::size_t before = starts_of(load_run(path("r/shard-1-of-2")));
  ASSERT_LT(before, 9U);
  EXPECT_THAT(succeeds(line).err, HasSubstr(fmt::format("[1/{}] ", 9 - before)));
  EXPECT_EQ(starts_of(load_run(path("r/shard-1-of-2"))), 9U);
}

TEST_F(Continued, needs_a_named_folder) {
  prepare_sweep();
  refuses("sweep s.yaml --continue", {"--continue: needs --out"});
}

TEST_F(Continued, ends_by_sigusr1_with_results_and_the_exit_code_for_more) {
  prepare_sweep();
  const std::string line = std::string(kLine) + " --repeats 3";
  FeedrateChild child(line, setup());
  ASSERT_TRUE(child.wait_for_error_text("[2/18] "));
  child.send(SIGUSR1);
  const Finished ended = child.wait();
  EXPECT_EQ(ended.exit_code, 75);
  EXPECT_THAT(ended.err, HasSubstr("interrupted; measured results are saved"));
  EXPECT_GE(starts_of(load_run(path("r"))), 2U);
  prepare(line);
  EXPECT_EQ(starts_of(load_run(path("r"))), 18U);
}

// Slurm signals all processes of a job: the worker's end may be noticed before feedrate's own
// signal.
TEST_F(Continued, does_not_fail_a_cell_whose_worker_ended_with_the_job) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "num_workers: [2], batch_size: [1, 2, 3, 4]"));
  for (int turn = 0; turn < 8; ++turn) {
    ChildSetup own_group = setup();
    own_group.before_exec = [] { return ::setpgid(0, 0) == 0; };
    FeedrateChild child("sweep s.yaml --force --out r --axis step_ms=25 --axis reference_batch=1",
                        own_group);
    ASSERT_TRUE(child.wait_for_error_text("[1/4] "));
    ASSERT_EQ(::kill(-child.pid(), SIGTERM), 0);
    EXPECT_EQ(child.wait().exit_code, 130);
    EXPECT_EQ(count(load_run(path("r")), Outcome::kFailed), 0U);
  }
}

}  // namespace
}  // namespace feedrate::testing
