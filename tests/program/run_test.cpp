// SPDX-License-Identifier: Apache-2.0
// feedrate run with a script that does not import feedrate.
#include <csignal>

#include <fmt/format.h>

#include "analysis/foreign_load.h"
#include "analysis/report/load_run.h"
#include "tests/program/busy_cpus.h"
#include "tests/program/requires_torch.h"
#include "tests/program/workspace.h"
#include "tests/support/scoped_variable.h"

namespace feedrate::testing {
namespace {

// Loader and loop sleep, and the script takes its own times. It prints the sum of all batches,
// weighted by their position, which depends on their order.
constexpr const char* kScript = R"(import sys, time
try:
    import torch
except ImportError:
    sys.exit("no Python that can import torch")
from torch.utils.data import DataLoader, Dataset

class Slow(Dataset):
    def __len__(self):
        return 320

    def __getitem__(self, i):
        time.sleep(float(sys.argv[2]) / 8e3)
        return torch.full((2,), float(i))

if __name__ == "__main__":
    torch.manual_seed(3)
    loader = DataLoader(Slow(), batch_size=8, shuffle=True, num_workers=int(sys.argv[1]))
    step, total = 0, 0.0
    for epoch in range(int(sys.argv[4])):
        for batch in loader:
            time.sleep(float(sys.argv[3]) / 1e3)
            step += 1
            total += float(batch.sum()) * (step % 11)
    print("sum", total, "random", float(torch.rand(1)), input())
    sys.exit(7)
)";

// The same script; prints a line if it ends by itself.
constexpr const char* kOrderly =
    "import atexit\natexit.register(print, 'in order')\nexec(open('train.py').read())\n";

class Run : public Workspace {
 protected:
  void SetUp() override {
    write("train.py", kScript);
    write("input", "read\n");
  }

  // The setup has a line on standard input and, unless another Python is named, Debian's, for which
  // the tests install torch.
  [[nodiscard]] ChildSetup with_python() const {
    ChildSetup child = setup();
    child.before_exec = [file = path("input").string()] {
      return ::setenv("FEEDRATE_PYTHON", "/usr/bin/python3", 0) == 0 &&
             std::freopen(file.c_str(), "r", stdin) != nullptr;
    };
    return child;
  }

  [[nodiscard]] Finished run(std::string_view line) const {
    return run_feedrate(line, with_python());
  }
};

TEST_F(Run, reports_what_the_steps_wait_for_and_leaves_the_script_unchanged) {
  const Finished done = run("run --out results train.py 0 35 30 2");
  REQUIRE_TORCH_EXIT(done, 7);
  EXPECT_THAT(done.out, AllOf(HasSubstr("sum "), HasSubstr(" read"), Not(HasSubstr("feedrate"))));
  EXPECT_THAT(
      done.err,
      AllOf(HasSubstr("train.py:18 DataLoader(Slow, batch_size=8, shuffle=True, num_workers=0)"),
            HasSubstr("INPUT-BOUND"), HasSubstr("Written: results")));
  const RunResult result = load_run(path("results"));
  ASSERT_THAT(result.cells, SizeIs(1));
  const double loading = *find_metric(result.cells[0].metrics, "loading_time_p50");
  const double training = *find_metric(result.cells[0].metrics, "training_time_p50");
  EXPECT_GE(loading, 0.035);
  EXPECT_GE(training, 0.030);
  prepare("report results --out page.html");
}

// Each batch once, in its order; draws from torch's generator are also the same.
TEST_F(Run, tuned_trains_the_same_batches_as_untouched) {
  write("untouched.py", std::string(kScript));
  const Finished untouched = run("run --out a untouched.py 0 16 4 8");
  REQUIRE_TORCH(has_torch(untouched));
  const Finished tuned = run("run --tune --out b train.py 0 16 4 8");
  EXPECT_EQ(tuned.exit_code, 7) << tuned.err;
  EXPECT_EQ(tuned.out, untouched.out);
  EXPECT_THAT(tuned.err, AllOf(HasSubstr("tuned: num_workers=0 -> "), HasSubstr("train.py:18  - "),
                               HasSubstr(" tried, which cost ")));
  EXPECT_GT(load_run(path("b")).cells.size(), 1U);
}

TEST_F(Run, beside_other_programs_says_so) {
  const BusyCpus others;
  const Finished done = run("run --out results train.py 0 35 30 2");
  REQUIRE_TORCH(has_torch(done));
  EXPECT_THAT(done.err, ContainsRegex("during the run other programs used [0-9.]+ of [0-9]+ CPU"));
  EXPECT_THAT(foreign_load_sentence(load_run(path("results"))), StartsWith("Other programs used"));
}

TEST_F(Run, json_is_the_last_line) {
  const Finished done = run("run --json --out results train.py 0 8 4 2");
  REQUIRE_TORCH_EXIT(done, 7);
  EXPECT_THAT(done.out, MatchesRegex("sum .* read\n\\{\"schema\":1,.*\\}\n"));
}

TEST_F(Run, leaves_results_alone_that_are_there) {
  write("results/run.json", "{}");
  const Finished done = run("run --out results train.py 0 8 4 2");
  EXPECT_EQ(done.exit_code, 2) << done.err;
  EXPECT_EQ(done.out, "");
}

// Both runs are of the same script, the second tuned.
TEST_F(Run, commands_that_read_results_take_those_of_a_training) {
  REQUIRE_TORCH(has_torch(run("run --out before train.py 0 16 4 2")));
  EXPECT_EQ(run("run --tune --out after train.py 0 16 4 8").exit_code, 7);
  const RunResult after = load_run(path("after"));
  ASSERT_TRUE(after.history);
  const LoaderHistory& loader = after.history->loaders.at(0);
  EXPECT_GT(loader.segments.size(), 1U);
  EXPECT_EQ(loader.segments.front().use, SegmentUse::kOwn);
  EXPECT_EQ(loader.epochs.size(), 8U);
  EXPECT_GE(loader.points.front().times.loading, 0.016);
  EXPECT_THAT(after.history->verdict, Contains(StartsWith("tuned: num_workers=0 -> ")));
  EXPECT_THAT(read("after/table.md"), HasSubstr("tuned: num_workers=0 -> "));

  prepare("report before after --out page.html");
  EXPECT_THAT(read("page.html"), HasSubstr("samples_per_second"));
  const Finished compared = feedrate("compare before after");
  EXPECT_NE(compared.exit_code, 2) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("num_workers: 0 in A, "));
  EXPECT_THAT(succeeds("what-if before").out, HasSubstr("a GPU twice as fast"));
}

// A batch takes 16 ms, a step 4 ms: workers are predicted to be faster.
TEST_F(Run, tune_predicts_settings_that_a_training_did_not_have) {
  REQUIRE_TORCH(has_torch(run("run --out results train.py 0 16 4 2")));
  EXPECT_THAT(succeeds("tune results").out, AllOf(HasSubstr("Predicted, not measured"),
                                                  ContainsRegex("Best then:  num_workers=[1-9]"),
                                                  HasSubstr("feedrate run --tune")));
  make_images();
  write("s.yaml", sweep_config("path: ds"));
  prepare("sweep s.yaml --out sweep");
  refuses("tune sweep", {"sweep: is the folder of a sweep or a tune; must be"});
}

// Its workers end in order, too, which a signal would not achieve. The shell of loop.sh would start
// the script again.
TEST_F(Run, until_decided_ends_the_script_in_order) {
  write("own.py", kOrderly);
  write("loop.sh", "while true; do $FEEDRATE_PYTHON own.py 2 4 1 100000; done\n");
  for (const char* const line : {"--until-decided own.py 2 4 1 100000",
                                 "--steps 60 own.py 2 4 1 100000", "--steps 60 -- sh loop.sh"}) {
    const Finished done = run(fmt::format("run {}", line));
    REQUIRE_TORCH_EXIT(done, 0);
    EXPECT_THAT(done.err, AllOf(HasSubstr("INPUT-BOUND"), Not(HasSubstr("Traceback"))));
    EXPECT_EQ(done.out, "in order\n");
  }
}

// A rank that ended by itself would leave the others waiting.
TEST_F(Run, until_decided_ends_one_of_several_ranks_by_a_signal) {
  write("own.py", kOrderly);
  write("rank.sh", "WORLD_SIZE=2 exec $FEEDRATE_PYTHON own.py 0 2 1 100000\n");
  const Finished done = run("run --steps 60 -- sh rank.sh");
  REQUIRE_TORCH_EXIT(done, 0);
  EXPECT_THAT(done.err, HasSubstr("INPUT-BOUND"));
  EXPECT_EQ(done.out, "");
}

TEST_F(Run, until_decided_ends_a_script_that_would_continue) {
  write("own.py",
        "try:\n"
        "    exec(open('train.py').read())\n"
        "except SystemExit as end:\n"
        "    if end.code is None:\n"
        "        time.sleep(1000)\n"
        "    raise\n");
  const Finished done = run("run --steps 60 own.py 0 2 1 100000");
  REQUIRE_TORCH_EXIT(done, 0);
  EXPECT_THAT(done.err, AllOf(HasSubstr("INPUT-BOUND"), Not(HasSubstr("Traceback"))));
}

TEST_F(Run, keeps_results_when_it_is_interrupted) {
  FeedrateChild child("run --out results train.py 0 3 1 100000", with_python());
  const bool has_told = child.wait_for_error_text("steps: loading");
  REQUIRE_TORCH(child.error_text().find("no Python that can import torch") == std::string::npos);
  ASSERT_TRUE(has_told) << child.error_text();
  child.send(SIGINT);
  const Finished done = child.wait();
  EXPECT_THAT(done.err, AllOf(HasSubstr("KeyboardInterrupt"), HasSubstr("INPUT-BOUND")));
  EXPECT_TRUE(load_run(path("results")).interrupted);
}

TEST_F(Run, of_a_program_without_a_loader_says_so) {
  const Finished done = succeeds("run --json -- sh -c true");
  EXPECT_EQ(done.out, "null\n");
  EXPECT_THAT(done.err, HasSubstr("too few steps of a DataLoader were seen"));
  EXPECT_FALSE(std::filesystem::exists(path("feedrate-results")));
}

TEST_F(Run, names_a_script_that_is_not_there) {
  const Finished done = feedrate("run nothing.py");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("nothing.py: does not exist"), Not(HasSubstr("few steps"))));
}

TEST_F(Run, warns_that_an_option_after_the_script_is_passed_to_it) {
  write("echo.py", "import sys\nprint(sys.argv[1:])\n");
  const Finished done = feedrate("run echo.py --json --epochs 3");
  EXPECT_EQ(done.out, "['--json', '--epochs', '3']\n");
  EXPECT_THAT(done.err,
              HasSubstr("--json: is passed to echo.py; put options of feedrate before the script"));
  EXPECT_THAT(feedrate("run echo.py --epochs 3").err, Not(HasSubstr("is passed to")));
}

// An isolated Python without site-packages has no torch.
TEST_F(Run, names_a_python_without_torch) {
  write("python-bare", "#!/bin/sh\nexec python3 -I -S \"$@\"\n");
  std::filesystem::permissions(path("python-bare"), std::filesystem::perms::owner_all);
  write("hello.py", "print('hello')\n");
  const ScopedVariable python("FEEDRATE_PYTHON", path("python-bare"));
  const Finished done = feedrate("run hello.py");
  EXPECT_EQ(done.out, "hello\n");
  EXPECT_THAT(done.err, AllOf(HasSubstr("python-bare: cannot import torch"),
                              Not(HasSubstr("too few steps"))));
}

TEST_F(Run, passes_arguments_after_two_dashes_to_the_script) {
  const Finished done = feedrate("run --out results -- printf --%s- --force");
  EXPECT_EQ(done.out, "----force-");
  refuses("run");
  refuses("run -- /no/such/program");
}

// A parent that ignores SIGCHLD makes the kernel discard exit statuses.
TEST_F(Run, returns_the_exit_code_where_sigchld_is_ignored) {
  ChildSetup child = setup();
  child.before_exec = [] { return ::signal(SIGCHLD, SIG_IGN) != SIG_ERR; };
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(run_feedrate("run -- grep -q nothing /dev/null", child).exit_code, 1);
  }
}

TEST_F(Run, with_a_full_disk_becomes_the_script) {
  ChildSetup child = setup();
  child.largest_file = 512;
  const Finished done = run_feedrate("run -- printf ran", child);
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.out, "ran");
  EXPECT_THAT(done.err, HasSubstr("File too large; the script runs without feedrate"));
}

// A colon would split PYTHONPATH, and a long path would exceed the limit for sockets.
TEST_F(Run, watches_whatever_TMPDIR_is) {
  const std::string deep(80, 'd');
  write("a:b/file", "");
  write(deep + "/file", "");
  for (const std::string& folder : {std::string("a:b"), deep, std::string("none"), std::string()}) {
    ChildSetup child = with_python();
    child.before_exec = [this, usual = child.before_exec, folder] {
      const std::string value = folder.empty() ? folder : path(folder).string();
      return usual() && ::setenv("TMPDIR", value.c_str(), 1) == 0;
    };
    const Finished done = run_feedrate("run train.py 0 2 1 2", child);
    REQUIRE_TORCH(has_torch(done));
    EXPECT_THAT(done.err, HasSubstr("train.py:18 DataLoader(Slow")) << folder;
  }
}

TEST_F(Run, writes_no_secret_of_the_scripts_arguments) {
  prepare("run --out results -- true --api-key=s3cr3t --token s3cr3t");
  EXPECT_THAT(read("results/run.json"), AllOf(HasSubstr("--api-key=***"), HasSubstr("--token ***"),
                                              Not(HasSubstr("s3cr3t"))));
  EXPECT_THAT(read("results/table.md"), Not(HasSubstr("s3cr3t")));
}

constexpr const char* kHostile = R"(import os, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["FEEDRATE_RUN"])
try:
    connection.sendall(eval(sys.argv[1]))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
except OSError:  # cut off
    pass
sys.exit(4)
)";

TEST_F(Run, continues_after_an_invalid_message) {
  write("hostile.py", kHostile);
  for (const char* const sent :
       {R"(b'{"event":'+b'['*80000+b']'*80000+b'}\n')", R"(b'\xff'*9000000)", R"(b'\n'*100)",
        R"(b'{"event":"marks","rows":[1,2,3]}\n')"}) {
    const Finished done = run(fmt::format("run hostile.py {}", sent));
    EXPECT_EQ(done.exit_code, 4) << sent << done.err;
  }
}

// A launcher's variables may be left over in a shell.
TEST_F(Run, of_a_rank_without_a_first_one_is_watched) {
  write("rank.sh", "RANK=3 WORLD_SIZE=8 exec $FEEDRATE_PYTHON train.py 0 3 1 2\n");
  const Finished done = run("run -- sh rank.sh");
  REQUIRE_TORCH(has_torch(done));
  EXPECT_THAT(done.err, AllOf(HasSubstr("train.py:18 DataLoader(Slow"),
                              HasSubstr("rank 3 is watched: rank 0 did not connect")));
}

}  // namespace
}  // namespace feedrate::testing
