// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/recommendation.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Decision some_decision() {
  Decision decision;
  decision.ending = Ending::kConfident;
  decision.recommended = {2, 11'900.0, 12'000.0, Interval{11'880.0, 12'120.0}, 4};
  decision.confidence = 0.9612;
  decision.tolerance = 0.02;
  decision.considered = 4;
  decision.measured = 3;
  decision.model_error = 0.031;
  decision.model_errors = 2;
  decision.trainer_limit = 12'500.0;
  return decision;
}

class recommendation : public ::testing::Test {
 protected:
  recommendation() {
    const std::vector<Settings> all{
        testing::settings_with(0, 2, false), testing::settings_with(1, 2, true),
        testing::settings_with(3, 2, true), testing::settings_with(3, 2, false)};
    for (const Settings& settings : all) {
      candidates_.push_back({candidates_.size(), settings, 50e6});
      run_.cells.push_back(testing::cell_with(settings));
      run_.cells.back().settings.push_back({"engine", std::string("torch")});
    }
  }

  std::string print() const {
    std::ostringstream out;
    print_recommendation(out, findings());
    return out.str();
  }

  Findings findings() const { return {decision_, candidates_, rates_, run_, 0.95}; }

  void load_with(const char* engine, const char* emulate = "") {
    for (CellResult& cell : run_.cells) {
      cell.settings.back().value = std::string(engine);
      cell.settings.push_back({"emulate", std::string(emulate)});
    }
  }

  std::vector<Candidate> candidates_;
  std::vector<RateOf> rates_{{0, 4'000.0, 4'000.0, Interval{3'800.0, 4'200.0}, 0},
                             {1, 7'900.0, 8'000.0, Interval{7'840.0, 8'160.0}, 3},
                             {2, 11'900.0, 12'000.0, Interval{11'880.0, 12'120.0}, 4},
                             {3, 11'000.0, 11'000.0, std::nullopt, 1}};
  RunResult run_;
  Decision decision_ = some_decision();
};

TEST_F(recommendation, says_how_sure_it_is) {
  EXPECT_EQ(
      confidence_sentence(decision_, 0.95),
      "96 % sure: within 2.0 % of the best of 4 settings considered, 3 of them measured; model "
      "error on held-out cells 3.1 % (median of 2).");
}

TEST_F(recommendation, reports_foreign_load) {
  EXPECT_THAT(print(), Not(HasSubstr("other programs")));
  Repeat start;
  start.metrics = {{"cpus", 2.0}, {"foreign_cpu", 0.96}, {"steal", 0.0}, {"disturbed", 1.0}};
  run_.cells[2].repeats = {start};
  EXPECT_THAT(
      print(),
      HasSubstr("During its measurement other programs used 0.96 of 2 CPUs in 1 of 1 repeat"));
}

TEST_F(recommendation, says_when_it_is_less_sure_than_asked) {
  decision_.confidence = 0.819;
  decision_.loss = 0.0551;
  decision_.model_errors = 0;
  EXPECT_EQ(
      confidence_sentence(decision_, 0.95),
      "95 % sure: within 5.5 % of the best of 4 settings considered, 3 of them measured; within "
      "the requested 2.0 %: only 81 %; no prediction tested yet.");
}

TEST_F(recommendation, says_why_each_setting) {
  EXPECT_THAT(reasons(findings()),
              ElementsAre("num_workers=3: 1 gives 8,000/s ± 2.0 % (-33.3 %, measured)",
                          "pin_memory=true: false gives 11,000/s (-8.3 %, measured)"));
  rates_[1].starts = 0;
  EXPECT_THAT(reasons(findings())[0], EndsWith("(-33.3 %, predicted)"));
}

TEST_F(recommendation, says_where_the_sweep_ends_too_early) {
  EXPECT_THAT(edge_hints(findings()),
              ElementsAre("num_workers=3 is the largest value of the sweep; larger values may be "
                          "faster: try --axis num_workers=3,5,6"));
  EXPECT_THAT(print(), HasSubstr("try --axis num_workers=3,5,6"));
}

TEST_F(recommendation, asks_for_no_more_workers_than_the_cpus_and_the_trainer_can_use) {
  run_.cells[2].metrics.push_back({"cpu_busy", 0.97});
  EXPECT_THAT(edge_hints(findings()), IsEmpty());
  run_.cells[2].metrics.clear();
  decision_.trainer_limit = 12'100.0;
  EXPECT_THAT(edge_hints(findings()), IsEmpty());
  decision_.trainer_limit.reset();
  decision_.recommended.candidate = 1;
  EXPECT_THAT(edge_hints(findings()), IsEmpty());
}

TEST_F(recommendation, gives_one_start_no_interval) {
  decision_.recommended = {2, 11'900.0, 12'000.0, std::nullopt, 1};
  EXPECT_THAT(print(), HasSubstr("12,000/s, measured in 1 repeat, no interval (model:"));
}

TEST_F(recommendation, says_how_many_the_fall_back_measured) {
  decision_.fallback = 10;
  decision_.fallback_measured = 3;
  EXPECT_THAT(print(), HasSubstr("of the best 10 by prediction, 3 were measured"));
  decision_.fallback_measured = 10;
  EXPECT_THAT(print(), HasSubstr("the best 10 by prediction were measured"));
}

TEST_F(recommendation, gives_nothing_to_paste_for_another_loader_than_pytorchs) {
  load_with("native");
  decision_.ending = Ending::kGpuBound;
  EXPECT_THAT(print(), StartsWith("Measured with feedrate's native loader; PyTorch's DataLoader "
                                  "needs more workers. With a Python that has torch"));
  for (const char* unsaid : {"Recommended", "DataLoader(dataset", "faster loading gains nothing"}) {
    EXPECT_THAT(print(), Not(HasSubstr(unsaid)));
  }
}

TEST_F(recommendation, says_that_emulated_costs_are_not_yet_verified) {
  load_with("native", "p.yaml");
  EXPECT_THAT(print(), HasSubstr("not verified with PyTorch's DataLoader"));
}

TEST_F(recommendation, names_the_loader_the_settings_their_costs_and_limit_and_lines_to_paste) {
  EXPECT_THAT(print(), AllOf(StartsWith("Measured: rates of PyTorch's DataLoader.\n"),
                             HasSubstr("Recommended: num_workers=3 pin_memory=true"),
                             HasSubstr("12,000/s ± 1.0 %, measured in 4 repeats (model: 11,900/s)"),
                             HasSubstr("3 worker processes, up to 50.0 MB of host memory"),
                             HasSubstr("96 % of the rate with perfect loading"),
                             HasSubstr("loader = DataLoader(dataset, batch_size=32, num_workers=3, "
                                       "prefetch_factor=2, pin_memory=True)\n"),
                             HasSubstr("#SBATCH --cpus-per-task=4\n")));
}

TEST_F(recommendation, says_that_the_device_was_simulated) {
  EXPECT_THAT(print(), Not(HasSubstr("simulated device")));
  run_.simulated = true;
  EXPECT_THAT(print(), EndsWith("simulated device; verify on a real device.\n"));
}

TEST_F(recommendation, says_what_is_gained) {
  decision_.present = Rival{{0, 4'100.0, 4'000.0, Interval{3'900.0, 4'100.0}, 3},
                            {Verdict::kWin, 3.0, {2.9, 3.1}, 3}};
  EXPECT_THAT(print(), HasSubstr("Compared with the baseline: num_workers=0"));
  EXPECT_THAT(print(), HasSubstr("WIN: 3.000 times its rate (2.900 to 3.100, 3 rounds)"));
}

TEST_F(recommendation, says_that_a_rival_was_not_measured) {
  decision_.runner_up = Rival{{3, 11'000.0, 11'000.0, Interval{10'000.0, 12'000.0}, 0}, {}};
  EXPECT_THAT(print(), HasSubstr("11,000/s ± 9.1 %, predicted, not measured"));
  EXPECT_THAT(print(), HasSubstr("UNDECIDED: they have no common round"));
}

TEST_F(recommendation, says_that_other_programs_leave_it_undecided) {
  decision_.present =
      Rival{{0, 4'100.0, 4'000.0, Interval{3'900.0, 4'100.0}, 3}, {.rounds = 0, .disturbed = 3}};
  EXPECT_THAT(print(), HasSubstr("UNDECIDED: other programs disturbed each"));
}

TEST_F(recommendation, says_that_nothing_is_left_to_win) {
  decision_.ending = Ending::kGpuBound;
  decision_.present_is_best = true;
  EXPECT_THAT(print(), HasSubstr("Already GPU-bound: faster loading gains nothing"));
  EXPECT_THAT(print(), HasSubstr("These are the baseline settings."));
}

TEST_F(recommendation, says_that_a_larger_budget_goes_on) {
  decision_.ending = Ending::kOutOfTime;
  EXPECT_THAT(print(), HasSubstr("with a larger --budget continues"));
}

}  // namespace
}  // namespace feedrate
