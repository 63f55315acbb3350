// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM: exit code 130; results are kept, incomplete files are not.
#include <csignal>
#include <cstring>

#include "analysis/report/csv.h"
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Interrupted : public Workspace, public ::testing::WithParamInterface<int> {};

TEST_P(Interrupted, a_sweep_keeps_what_it_measured_and_marks_the_rest) {
  make_images();
  // A hundred cells of half a second: the sweep cannot end by itself before the signal.
  write("s.yaml", sweep_config("path: ds",
                               "batch_size: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], num_workers: [0, 1, "
                               "2, 3, 4, 5, 6, 7, 8, 9]"));
  FeedrateChild child("sweep s.yaml --out results --axis step_ms=25 --axis reference_batch=1",
                      setup());
  ASSERT_TRUE(child.wait_for_error_text("[1/100] "));
  child.send(GetParam());
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 130);
  EXPECT_THAT(done.err, HasSubstr("interrupted; measured results are saved"));
  EXPECT_THAT(done.out, HasSubstr("cells not run: the sweep was interrupted"));
  const RunResult csv = read_cells_csv(path("results/cells.csv"));
  EXPECT_EQ(csv.cells.size(), 100U);
  EXPECT_GE(count(csv, Outcome::kOk), 1U);
  EXPECT_GE(count(csv, Outcome::kPending), 1U);
  EXPECT_EQ(count(csv, Outcome::kOk) + count(csv, Outcome::kPending), 100U);
  EXPECT_TRUE(load_run(path("results")).interrupted);
}

TEST_P(Interrupted, a_sweep_that_makes_its_dataset_leaves_results_without_a_measured_cell) {
  write("s.yaml", sweep_config("path: ds, make: {preset: cifar10-like, count: 10000000}"));
  FeedrateChild child("sweep s.yaml --out results", setup());
  ASSERT_TRUE(child.wait_for_error_text("making ds"));
  child.send(GetParam());
  EXPECT_EQ(child.wait().exit_code, 130);
  EXPECT_THAT(listing(), ElementsAre("results", "s.yaml"));
  const RunResult run = load_run(path("results"));
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(count(run, Outcome::kPending), 1U);
}

TEST_P(Interrupted, data_make_leaves_nothing) {
  FeedrateChild child("data make ds --count 10000000", setup());
  ASSERT_TRUE(child.wait_until([&] { return !listing().empty(); }));
  child.send(GetParam());
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 130);
  EXPECT_THAT(done.err, HasSubstr("interrupted"));
  EXPECT_THAT(listing(), IsEmpty());
}

// GNU timeout, scancel and launchers send a signal twice.
TEST_P(Interrupted, by_two_quick_signals_a_sweep_still_ends_in_order) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: [1, 2, 3, 4]"));
  FeedrateChild child("sweep s.yaml --out results --axis step_ms=25 --axis reference_batch=1",
                      setup());
  ASSERT_TRUE(child.wait_for_error_text("[1/4] "));
  child.send(GetParam());
  child.send(GetParam() == SIGTERM ? SIGINT : SIGTERM);
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 130);
  EXPECT_THAT(done.err, AllOf(HasSubstr("send the signal again after one second"),
                              HasSubstr("interrupted; measured results are saved")));
  EXPECT_THAT(done.out, HasSubstr("cells not run: the sweep was interrupted"));
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGXCPU),
                         [](const auto& tested) {
                           return std::string("by_") + ::sigabbrev_np(tested.param);
                         });

class SignalsIgnored : public Workspace {};

TEST_F(SignalsIgnored, by_nohup_do_not_end_a_sweep) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: [1, 2]"));
  ChildSetup setup = this->setup();
  setup.before_exec = [] { return ::signal(SIGHUP, SIG_IGN) != SIG_ERR; };
  FeedrateChild child("sweep s.yaml --out results", setup);
  ASSERT_TRUE(child.wait_for_error_text("[1/2] "));
  child.send(SIGHUP);
  EXPECT_EQ(child.wait().exit_code, 0);
}

}  // namespace
}  // namespace feedrate::testing
