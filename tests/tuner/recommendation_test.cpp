#include "tuner/recommendation.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/synthetic_world.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Decision some_decision() {
  Decision decision;
  decision.ending = Ending::kConfident;
  decision.recommended = {2, 11'900.0, 12'000.0, {11'880.0, 12'120.0}, 4};
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
    }
  }

  std::string print() const {
    std::ostringstream out;
    print_recommendation(out, {decision_, candidates_, expected_, run_, 0.95});
    return out.str();
  }

  std::vector<Candidate> candidates_;
  std::vector<double> expected_{4'000.0, 8'000.0, 12'000.0, 11'000.0};
  RunResult run_;
  Decision decision_ = some_decision();
};

TEST_F(recommendation, says_how_sure_it_is) {
  EXPECT_EQ(confidence_sentence(decision_, 0.95),
            "96 %: within 2.0 % of the best of 4 settings considered, 3 of them measured; model "
            "error on held-out cells 3.1 % (median of 2).");
}

TEST_F(recommendation, says_when_it_is_less_sure_than_asked) {
  decision_.confidence = 0.819;
  decision_.loss = 0.0551;
  decision_.model_errors = 0;
  EXPECT_EQ(
      confidence_sentence(decision_, 0.95),
      "95 %: within 5.5 % of the best of 4 settings considered, "
      "3 of them measured; within the 2.0 % asked for: 81 % only; no prediction was tested yet.");
}

TEST_F(recommendation, says_why_each_setting) {
  EXPECT_THAT(reasons({decision_, candidates_, expected_, run_, 0.95}),
              ElementsAre("num_workers=3: instead of it 1 8,000/s (-33.3 %)",
                          "pin_memory=true: instead of it false 11,000/s (-8.3 %)"));
}

TEST_F(recommendation, names_settings_costs_and_limit) {
  const std::string text = print();
  EXPECT_THAT(text, HasSubstr("Recommended: num_workers=3 pin_memory=true"));
  EXPECT_THAT(text,
              HasSubstr("12,000/s ± 1.0 %, measured over 4 starts (the model says 11,900/s)"));
  EXPECT_THAT(text, HasSubstr("3 worker processes, up to 50.0 MB of host memory"));
  EXPECT_THAT(text, HasSubstr("96 % of what the trainer takes"));
}

TEST_F(recommendation, ends_with_lines_to_paste) {
  EXPECT_THAT(print(), HasSubstr("loader = DataLoader(dataset, batch_size=32, num_workers=3, "
                                 "prefetch_factor=2, pin_memory=True)\n"));
  EXPECT_THAT(print(), HasSubstr("#SBATCH --cpus-per-task=4\n"));
}

TEST_F(recommendation, says_that_the_device_was_simulated) {
  EXPECT_THAT(print(), Not(HasSubstr("simulated device")));
  run_.simulated = true;
  EXPECT_THAT(print(), EndsWith("simulated device; check it on a real one.\n"));
}

TEST_F(recommendation, says_what_is_gained) {
  decision_.present =
      Rival{{0, 4'100.0, 4'000.0, {3'900.0, 4'100.0}, 3}, {Verdict::kWin, 3.0, {2.9, 3.1}}};
  EXPECT_THAT(print(), HasSubstr("Against the present settings: num_workers=0"));
  EXPECT_THAT(print(), HasSubstr("WIN: 3.000 times its rate (2.900 to 3.100)"));
}

TEST_F(recommendation, says_that_a_rival_was_not_measured) {
  decision_.runner_up = Rival{{3, 11'000.0, 11'000.0, {10'000.0, 12'000.0}, 0}, {}};
  EXPECT_THAT(print(), HasSubstr("11,000/s predicted, not measured"));
  EXPECT_THAT(print(), HasSubstr("UNDECIDED: not both of them were measured"));
}

TEST_F(recommendation, says_that_nothing_is_left_to_win) {
  decision_.ending = Ending::kGpuBound;
  decision_.present_is_best = true;
  EXPECT_THAT(print(), HasSubstr("Already GPU-bound: nothing left to win"));
  EXPECT_THAT(print(), HasSubstr("These are the present settings."));
}

TEST_F(recommendation, says_that_a_larger_budget_goes_on) {
  decision_.ending = Ending::kOutOfTime;
  EXPECT_THAT(print(), HasSubstr("with a larger --budget goes on"));
}

}  // namespace
}  // namespace feedrate
