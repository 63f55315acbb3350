// SPDX-License-Identifier: Apache-2.0
#include "bench/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/error_of.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

constexpr const char* kConfig =
    "dataset: {path: x}\ndevice: {name: 'sim:h200'}\nloader: {num_workers: [0, 1], batch_size: "
    "[2, 4]}\nmeasure: {steps: 8, repeats: 2}\n";

std::vector<Cell> resumed_plan() { return make_plan(parse_config(kConfig, "s.yaml"), {}); }

RunResult stored_run() {
  RunResult run;
  run.config_name = "s";
  run.config_text = kConfig;
  for (const Cell& cell : resumed_plan()) {
    CellResult& result = run.cells.emplace_back();
    result.index = cell.index;
    result.settings = cell.settings;
  }
  return run;
}

std::string plan_error(const RunResult& run) {
  return error_of([&] { require_same_plan(run, resumed_plan(), "r"); });
}

ResumeOptions resume_r(bool may_mix = false) {
  ResumeOptions options;
  options.folder = "r";
  options.may_mix = may_mix;
  return options;
}

TEST(Resume, takes_the_same_plan) { EXPECT_EQ(plan_error(stored_run()), "no error"); }

TEST(Resume, refuses_another_number_of_cells) {
  RunResult run = stored_run();
  run.cells.pop_back();
  EXPECT_THAT(plan_error(run), HasSubstr("r: the plan has changed: it had 3 cells and now has 4"));
}

TEST(Resume, names_the_cell_and_the_setting_that_differ) {
  RunResult run = stored_run();
  for (Setting& setting : run.cells[2].settings) {
    if (setting.name == "batch_size") setting.value = std::int64_t{16};
  }
  EXPECT_THAT(plan_error(run), HasSubstr("cell 2: batch_size was \"16\" and is \"2\""));
}

TEST(Resume, refuses_a_cell_that_is_skipped_and_was_not) {
  std::vector<Cell> now = resumed_plan();
  now[1].skip_reason = "too many workers";
  EXPECT_THAT(error_of([&] { require_same_plan(stored_run(), now, "r"); }),
              HasSubstr("cell 1: it was not skipped before and is skipped now: too many workers"));
}

TEST(Resume, plans_a_cell_again_that_was_skipped_for_lack_of_memory) {
  RunResult run = stored_run();
  run.cells[1].outcome = Outcome::kSkipped;
  run.cells[1].reason = "needs 9 GB";
  EXPECT_EQ(plan_error(run), "no error");
  plan_skipped_cells(run, resumed_plan());
  EXPECT_EQ(run.cells[1].outcome, Outcome::kPending);
  EXPECT_EQ(run.cells[1].reason, "");
}

TEST(Resume, tries_failed_cells_again_and_keeps_what_they_measured) {
  RunResult run = stored_run();
  run.cells[0].outcome = run.cells[1].outcome = Outcome::kFailed;
  run.cells[1].repeats.resize(1);
  run.cells[1].reason = "took too long";
  retry_failed_cells(run);
  EXPECT_EQ(run.cells[0].outcome, Outcome::kPending);
  EXPECT_EQ(run.cells[1].outcome, Outcome::kOk);
  EXPECT_EQ(run.cells[1].reason, "");
  EXPECT_EQ(run.cells[1].repeats.size(), 1U);
}

TEST(Resume, says_what_is_missing) {
  RunResult run = stored_run();
  run.cells[0].outcome = Outcome::kOk;
  run.cells[0].repeats.resize(1);
  run.cells[1].outcome = Outcome::kFailed;
  EXPECT_EQ(describe_missing(run, 2, "r"),
            "r: 5 repeats are missing; 1 cell has failed; --retry-failed retries failed cells");
  run = stored_run();
  for (CellResult& cell : run.cells) cell.repeats.resize(2);
  EXPECT_EQ(describe_missing(run, 2, "r"),
            "r: 0 repeats are missing; --repeats +3 adds three to each cell");
}

TEST(Resume, refuses_another_machine) {
  const Environment before{{{"cpu_model", "A"}}, {}};
  const Environment now{{{"cpu_model", "B"}}, {}};
  EXPECT_THAT(error_of([&] { return continued_environment(before, now, resume_r()); }),
              AllOf(HasSubstr("r: cpu_model was \"A\" and is \"B\""), HasSubstr("--mix")));
}

TEST(Resume, mixes_machines_on_request_with_a_warning) {
  const Environment before{{{"device cuda", "A100"}}, {}};
  const Environment now{{{"device cuda", "H200"}}, {}};
  EXPECT_THAT(
      continued_environment(before, now, resume_r(true)).warnings,
      ElementsAre("Some repeats were measured with device cuda \"A100\", others with \"H200\"."));
}

TEST(Resume, warns_about_another_kernel_but_not_about_free_memory) {
  const Environment before{{{"kernel", "5.1"}, {"memory_available", "0.10"}}, {}};
  const Environment now{{{"kernel", "6.1"}, {"memory_available", "0.20"}}, {}};
  EXPECT_THAT(continued_environment(before, now, resume_r()).warnings,
              ElementsAre(HasSubstr("with kernel \"5.1\"")));
}

TEST(Resume, keeps_earlier_facts_and_warnings_once) {
  const Environment before{{{"dataset tar", "16 records"}},
                           {"The load average was 3.10.", "PyTorch warned."}};
  const Environment now{{{"cpu_model", "A"}}, {"The load average was 2.50."}};
  const Environment both = continued_environment(before, now, resume_r());
  EXPECT_EQ(both.facts.size(), 2U);
  EXPECT_THAT(both.warnings, ElementsAre("The load average was 2.50.", "PyTorch warned."));
}

TEST(FailCellsThatKill, fails_those_that_killed_twice) {
  RunResult run = stored_run();
  fail_cells_that_kill(run, {2, 1, 2}, "--retry-failed retries it");
  for (const CellResult& cell : run.cells) {
    EXPECT_EQ(cell.outcome == Outcome::kFailed, cell.index == 2) << cell.index;
  }
  EXPECT_THAT(run.cells[2].reason, AllOf(HasSubstr("2 times"), HasSubstr("--retry-failed")));
}

}  // namespace
}  // namespace feedrate
