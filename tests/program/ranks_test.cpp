// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/ranks.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

#include <sys/wait.h>
#include <unistd.h>

#include "analysis/report/csv_text.h"
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Ranks : public Workspace {
 protected:
  void SetUp() override { make_images(); }

  void configure(std::string_view job, std::string_view loader = "batch_size: 2",
                 std::string_view measure = "epochs: 1") const {
    write("s.yaml", sweep_config("path: ds", loader, measure) + fmt::format("job: {{{}}}\n", job));
  }

  RunResult sweep(std::string_view options = "") const {
    finished_ = feedrate(fmt::format("sweep s.yaml --out results {}", options));
    EXPECT_EQ(finished_.exit_code, 0) << finished_.err;
    return load_run(path("results"));
  }

  // Each row as a map from column to value.
  std::vector<std::map<std::string, std::string>> ranks_csv() const {
    const std::vector<CsvRecord> records = parse_csv("ranks.csv", read("results/ranks.csv"));
    std::vector<std::map<std::string, std::string>> rows;
    for (std::size_t i = 1; i < records.size(); ++i) {
      rows.emplace_back();
      for (std::size_t k = 0; k < records[i].fields.size(); ++k) {
        rows.back()[records.front().fields.at(k)] = records[i].fields[k];
      }
    }
    return rows;
  }

  double sum_of_ranks(const CellResult& cell, const char* tag) const {
    double sum = 0;
    for (const auto& row : ranks_csv()) {
      if (row.at("cell") == std::to_string(cell.index)) sum += std::stod(row.at(tag));
    }
    return sum;
  }

  mutable Finished finished_;
};

double metric(const CellResult& cell, const char* tag) {
  const double* const value = find_metric(cell.metrics, tag);
  EXPECT_NE(value, nullptr) << tag;
  return value ? *value : 0.0;
}

TEST_F(Ranks, are_started_for_the_cells_that_have_them) {
  configure("ranks: [1, 2]", "batch_size: 2, num_workers: 1");
  const RunResult run = sweep("--repeats 2");
  const CellResult one = cells_with(run, "ranks", "1").at(0);
  const CellResult two = cells_with(run, "ranks", "2").at(0);
  EXPECT_EQ(one.outcome, Outcome::kOk);
  ASSERT_EQ(two.outcome, Outcome::kOk) << two.reason;
  EXPECT_EQ(find_metric(one.metrics, "slowest_rank"), nullptr);
  EXPECT_THAT(ranks_of(one), IsEmpty());
  EXPECT_THAT(ranks_csv(), SizeIs(2));
  EXPECT_NEAR(metric(two, "samples_per_second"), sum_of_ranks(two, "samples_per_second"), 1e-6);
  EXPECT_GE(metric(two, "straggler"), 0.0);
  EXPECT_EQ(metric(one, "batches_per_epoch"), 8);
  EXPECT_EQ(metric(two, "batches_per_epoch"), 4);
  EXPECT_THAT(finished_.out, AllOf(HasSubstr("Ranks, relative"), HasSubstr("ranks.csv")));
  EXPECT_THAT(read("results/table.md"), HasSubstr("Ranks, relative"));
}

// A parent that ignores SIGCHLD makes the kernel discard exit statuses.
TEST_F(Ranks, end_in_order_where_sigchld_is_ignored) {
  configure("ranks: 2");
  ChildSetup child = setup();
  child.before_exec = [] { return ::signal(SIGCHLD, SIG_IGN) != SIG_ERR; };
  const Finished done = run_feedrate("sweep s.yaml --out results", child);
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

TEST_F(Ranks, wait_for_each_other_in_an_all_reduce) {
  configure("ranks: 2, all_reduce_bytes: [0, 100000], affinity: cores");
  const RunResult run = sweep();
  const CellResult free = cells_with(run, "all_reduce_bytes", "0").at(0);
  const CellResult tied = cells_with(run, "all_reduce_bytes", "100000").at(0);
  ASSERT_EQ(tied.outcome, Outcome::kOk) << tied.reason;
  EXPECT_EQ(find_metric(free.metrics, "all_reduce_time"), nullptr);
  EXPECT_GT(metric(tied, "all_reduce_time"), 0.0);
  EXPECT_NEAR(metric(tied, "step_time"),
              metric(tied, "loading_time") + metric(tied, "training_time"), 1e-9);
}

TEST_F(Ranks, of_which_one_fails_fail_their_cell_and_name_it) {
  configure("ranks: 2", "batch_size: 2, shuffle: false", "epochs: 0");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("ds"))) {
    if (entry.path().stem() == "0000001") {
      std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) / 2);
    }
  }
  finished_ = feedrate("sweep s.yaml --out results");
  EXPECT_EQ(finished_.exit_code, 1);
  EXPECT_THAT(load_run(path("results")).cells.at(0).reason,
              AllOf(MatchesRegex("rank [01] on .*"), HasSubstr("0000001")));
}

TEST_F(Ranks, in_all_cells_leave_nothing_to_profile) {
  configure("ranks: 2");
  finished_ = feedrate("sweep s.yaml --out results --trace");
  EXPECT_EQ(finished_.exit_code, 2);
  EXPECT_THAT(finished_.err, HasSubstr("need cells with one rank"));
}

std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", parent));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

constexpr const char* kLong = "epochs: 0";

class RanksUnderFire : public Ranks {
 protected:
  void start(std::string_view axes = "") {
    configure("ranks: 3, all_reduce_bytes: 64", "batch_size: [2, 4]", kLong);
    child_ = std::make_unique<FeedrateChild>(
        fmt::format("sweep s.yaml --out results --axis step_ms=20 --steps 150 {}", axes), setup());
    ASSERT_TRUE(child_->wait_until([&] { return children_of(child_->pid()).size() == 3; }));
    ranks_ = children_of(child_->pid());
  }

  std::unique_ptr<FeedrateChild> child_;
  std::vector<pid_t> ranks_;
};

TEST_F(RanksUnderFire, of_which_one_is_killed_fail_that_cell_only) {
  start();
  ::kill(ranks_.at(1), SIGKILL);
  const Finished done = child_->wait();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  const RunResult run = load_run(path("results"));
  std::size_t failed = 0;
  for (const CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kFailed) continue;
    ++failed;
    EXPECT_THAT(cell.reason, AllOf(HasSubstr("rank "), HasSubstr("SIGKILL")));
  }
  EXPECT_EQ(failed, 1U);
  EXPECT_FALSE(run.interrupted);
}

TEST_F(RanksUnderFire, end_with_ctrl_c_and_none_is_left) {
  start();
  child_->send(SIGINT);
  const Finished done = child_->wait();
  EXPECT_EQ(done.exit_code, 130) << done.err;
  for (const pid_t rank : ranks_) EXPECT_NE(::kill(rank, 0), 0) << rank;
  EXPECT_TRUE(load_run(path("results")).interrupted);
}

// Starts the ranks as torchrun does, but without Python.
class LaunchedRanks : public Ranks {
 protected:
  // A node has `local` ranks.
  std::unique_ptr<FeedrateChild> start(int rank, int size, std::string_view line, int local) const {
    ChildSetup setup = this->setup();
    const auto set = [](const char* name, const std::string& value) {
      return ::setenv(name, value.c_str(), 1) == 0;
    };
    setup.before_exec = [=, port = port_] {
      return set("RANK", std::to_string(rank)) && set("LOCAL_RANK", std::to_string(rank % local)) &&
             set("WORLD_SIZE", std::to_string(size)) &&
             set("LOCAL_WORLD_SIZE", std::to_string(local)) && set("MASTER_ADDR", "127.0.0.1") &&
             set("MASTER_PORT", std::to_string(port));
    };
    return std::make_unique<FeedrateChild>(line, setup);
  }

  std::vector<Finished> run(int size, std::string_view line) const { return run(size, line, size); }
  std::vector<Finished> run(int size, std::string_view line, int local) const {
    std::vector<std::unique_ptr<FeedrateChild>> children;
    for (int rank = 0; rank < size; ++rank) children.push_back(start(rank, size, line, local));
    std::vector<Finished> all;
    for (const auto& child : children) all.push_back(child->wait());
    return all;
  }

  // The port at which the ranks meet; each test program has its own.
  const int port_ = 20'000 + static_cast<int>(::getpid() % 10'000);
};

TEST_F(LaunchedRanks, measure_the_plan_of_rank_0_which_alone_writes_and_prints) {
  configure("affinity: cores", "batch_size: [1, 2]");
  const std::vector<Finished> all = run(3, "sweep s.yaml --out results");
  for (const Finished& one : all) EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(all[0].out, HasSubstr("Ranks, relative"));
  for (int follower : {1, 2}) {
    EXPECT_EQ(all[static_cast<std::size_t>(follower)].out, "");
    EXPECT_EQ(all[static_cast<std::size_t>(follower)].err, "");
  }
  const RunResult result = load_run(path("results"));
  EXPECT_THAT(cells_with(result, "ranks", "3"), SizeIs(2));
  EXPECT_THAT(result.environment.facts,
              Contains(AllOf(::testing::Field(&Fact::name, "host_all_reduce"),
                             ::testing::Field(&Fact::value, "shared memory"))));
  for (const CellResult& cell : result.cells) {
    ASSERT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    EXPECT_THAT(ranks_of(cell), SizeIs(3));
    EXPECT_NEAR(metric(cell, "samples_per_second"), sum_of_ranks(cell, "samples_per_second"), 1e-6);
  }
  EXPECT_THAT(listing(), Not(Contains(HasSubstr("rank"))));
}

TEST_F(LaunchedRanks, on_several_nodes_say_how_to_start_them) {
  configure("");
  for (const Finished& one : run(2, "sweep s.yaml --out results", 1)) {
    EXPECT_EQ(one.exit_code, 2);
    EXPECT_THAT(one.err, AllOf(HasSubstr("several nodes need MPI"), HasSubstr("--mpi=pmix")));
  }
}

TEST_F(LaunchedRanks, resume_what_rank_0_finds_missing) {
  configure("");
  for (const Finished& one : run(2, "sweep s.yaml --out results")) EXPECT_EQ(one.exit_code, 0);
  const auto again = run(2, "sweep --resume results --repeats +1");
  for (const Finished& one : again) EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(again[1].err, IsEmpty());
  EXPECT_THAT(load_run(path("results")).cells.at(0).repeats, SizeIs(2));
}

TEST_F(LaunchedRanks, end_together_where_rank_0_finds_a_mistake) {
  configure("ranks: 4");
  const std::vector<Finished> all = run(2, "sweep s.yaml --out results");
  EXPECT_EQ(all[0].exit_code, 2);
  EXPECT_THAT(all[0].err, HasSubstr("every cell is skipped"));
  EXPECT_EQ(all[1].exit_code, 0);
  EXPECT_THAT(all[1].err, IsEmpty());
}

// RANK and WORLD_SIZE may be left over in a shell.
TEST_F(LaunchedRanks, without_their_peers_name_the_variables_to_unset) {
  configure("");
  const auto child = start(0, 2, "sweep s.yaml --out results", 2);
  EXPECT_TRUE(child->wait_for_error_text("unset its variables, as RANK and WORLD_SIZE"));
  child->send(SIGTERM);
  EXPECT_EQ(child->wait().exit_code, 130);
}

TEST_F(LaunchedRanks, of_which_one_is_killed_name_it_and_keep_results) {
  configure("all_reduce_bytes: 64", "batch_size: [2, 4]", kLong);
  const std::string line = "sweep s.yaml --out results --axis step_ms=20 --steps 150";
  const auto leader = start(0, 3, line, 3);
  const auto killed = start(1, 3, line, 3);
  const auto other = start(2, 3, line, 3);
  ASSERT_TRUE(leader->wait_for_error_text("[1/2] "));
  killed->send(SIGKILL);
  const Finished done = leader->wait();
  EXPECT_EQ(done.exit_code, 130) << done.err;
  EXPECT_EQ(killed->wait().exit_code, 128 + SIGKILL);
  EXPECT_EQ(other->wait().exit_code, 1);
  const RunResult run = load_run(path("results"));
  EXPECT_TRUE(run.interrupted);
  std::map<Outcome, std::string> reasons;
  for (const CellResult& cell : run.cells) reasons[cell.outcome] = cell.reason;
  EXPECT_EQ(reasons.count(Outcome::kOk), 1U);
  EXPECT_THAT(reasons[Outcome::kFailed], HasSubstr("rank 1"));
}

class MpiRanks : public Ranks {
 protected:
  // Open MPI leaks memory at exit.
  int mpirun(std::string_view ranks, std::string_view line) const {
    const std::string command = fmt::format(
        "cd '{}' && ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" OMPI_ALLOW_RUN_AS_ROOT=1 "
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 300 mpirun "
        "-n {} --oversubscribe {} {} > out 2> err",
        path(".").string(), ranks, FEEDRATE_BINARY, line);
    return WEXITSTATUS(std::system(command.c_str()));
  }
};

TEST_F(MpiRanks, are_those_that_mpirun_has_started) {
  if (std::system("mpirun --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no mpirun";
  }
  configure("all_reduce_bytes: 4096", "batch_size: 1, num_workers: 1");
  ASSERT_EQ(mpirun("4", "sweep s.yaml --out results"), 0) << read("err");
  const RunResult run = load_run(path("results"));
  const CellResult cell = cells_with(run, "ranks", "4").at(0);
  ASSERT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
  EXPECT_THAT(ranks_csv(), SizeIs(4));
  EXPECT_EQ(metric(cell, "batches_per_epoch"), 4);
  EXPECT_NEAR(metric(cell, "samples_per_second"), sum_of_ranks(cell, "samples_per_second"), 1e-6);
  // one table for four programs
  const std::string out = read("out");
  EXPECT_EQ(out.find("Best: "), out.rfind("Best: "));
}

}  // namespace
}  // namespace feedrate::testing
