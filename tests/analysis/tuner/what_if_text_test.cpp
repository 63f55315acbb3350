// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/what_if_text.h"

#include <sstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Forecast forecast(std::int64_t num_workers, double today, double then, Bottleneck limit_then) {
  Forecast one;
  one.settings = {{"num_workers", num_workers}};
  one.today = today;
  one.then = then;
  one.limit_then = {limit_then, limit_then == Bottleneck::kGpu ? 0.0 : 0.3};
  return one;
}

// Best 1000/s today, 1040/s then.
Answer answer_with(const World& world, Bottleneck limit, std::optional<std::size_t> enough) {
  return {world,  {forecast(4, 950.0, 1040.0, limit), forecast(2, 1000.0, 1020.0, limit)},
          1,      0,
          enough, std::nullopt};
}

const HeldOut kExactText{0.01, 20};

TEST(world_text, names_what_is_changed) {
  EXPECT_EQ(world_text({}, 2.0), "");
  EXPECT_EQ(world_text({.gpu_speed = 2.0}, 2.0), "a GPU twice as fast");
  EXPECT_EQ(world_text({.gpu_speed = 3.0, .cores = 16.0}, 2.0),
            "a GPU 3 times as fast and 16 cores instead of 2");
  EXPECT_EQ(world_text({.cores = 1.0}, 2.0), "1 core instead of 2");
  EXPECT_EQ(world_text({.cached = 0.125}, 2.0), "12.5 % of the data cached");
}

TEST(sentence, says_the_gain_the_limit_and_what_it_would_take) {
  EXPECT_EQ(sentence(answer_with({.gpu_speed = 2.0}, Bottleneck::kDecode, 6), kExactText, 2.0),
            "With a GPU twice as fast this run would gain 4 %, 1,040/s instead of 1,000/s: making "
            "batches is the limit; 6 cores and as many workers would be enough.");
}

TEST(sentence, names_the_limit_and_its_cure) {
  const World faster{.gpu_speed = 2.0};
  Answer balanced = answer_with(faster, Bottleneck::kCopy, std::nullopt);
  balanced.forecasts[0].limit_then.stall = 0.04;
  Answer more_workers = answer_with({.cores = 4.0}, Bottleneck::kStorage, 6);
  more_workers.forecasts[0].without_cores = 1030.0;
  Answer of_unknown_training = answer_with({.cores = 8.0}, Bottleneck::kDecode, std::nullopt);
  of_unknown_training.training_is_known = false;
  const std::pair<Answer, const char*> cases[] = {
      {answer_with({.cores = 8.0}, Bottleneck::kDecode, 6),
       "making batches is the limit; 6 workers would be enough"},
      {answer_with(faster, Bottleneck::kDecode, std::nullopt), "no number of cores is enough"},
      {answer_with(faster, Bottleneck::kGpu, 6),
       ": the GPU is the limit, with at least 6 cores and as many workers."},
      {answer_with(faster, Bottleneck::kCopy, 6), ": the copy to the GPU is the limit."},
      {answer_with(faster, Bottleneck::kStorage, 6), "storage is the limit."},
      {answer_with(faster, Bottleneck::kTransport, 6), "transport of batches"},
      {balanced, ": the GPU is the limit except for 4 % of the step."},
      {more_workers, "storage is the limit; 4 workers on 2 cores would reach 1,030/s."},
      {of_unknown_training, "making batches is the limit."}};
  for (const auto& [answer, text] : cases) {
    EXPECT_THAT(sentence(answer, kExactText, 2.0), HasSubstr(text));
  }
}

// 0.4 % may be a loss of 6 %.
TEST(sentence, marks_a_gain_below_the_models_error) {
  const auto with_gain = [](double then, double error) {
    Answer answer = answer_with({.gpu_speed = 2.0}, Bottleneck::kDecode, 6);
    answer.forecasts[0].then = then;
    return sentence(answer, {error, 20}, 2.0);
  };
  EXPECT_THAT(with_gain(1040.0, 0.05), HasSubstr("1,000/s, less than the model's error: "));
  EXPECT_THAT(
      with_gain(1004.0, 0.06),
      HasSubstr("would gain nothing, 1,004/s instead of 1,000/s, less than the model's error"));
  EXPECT_THAT(with_gain(1004.0, 0.004),
              AllOf(HasSubstr("would gain nothing"), Not(HasSubstr("model's error"))));
  EXPECT_THAT(with_gain(900.0, 0.01), HasSubstr("would lose 10 %"));
}

class what_if_tables : public ::testing::Test {
 protected:
  what_if_tables() {
    run_.simulated = true;
    for (const std::int64_t workers : {4, 2}) {
      CellResult& cell = run_.cells.emplace_back();
      cell.index = run_.cells.size() - 1;
      cell.settings = {{"num_workers", workers},
                       {"device", std::string("sim:a100-pcie4")},
                       {"engine", std::string("native")}};
    }
    situation_.cells = {run_.cells.data(), run_.cells.data() + 1};
    situation_.held_out = kExactText;
    situation_.answers = {answer_with({.gpu_speed = 2.0}, Bottleneck::kDecode, 6)};
    for (std::size_t i = 0; i < 2; ++i) {
      situation_.answers[0].forecasts[i].cell = situation_.cells[i];
    }
  }

  template <class Print>
  std::string printed(Print print, std::size_t width = 0) const {
    std::ostringstream out;
    print(out, WhatIfFindings{run_, "results/a", 2.0, {&situation_, 1}, width});
    return out.str();
  }

  RunResult run_;
  Situation situation_;
};

TEST_F(what_if_tables, say_that_they_are_predicted_for_a_simulated_device_and_how_well) {
  for (const auto print : {print_questions, print_forecasts}) {
    EXPECT_THAT(printed(print), AllOf(HasSubstr("Predicted, not measured"), HasSubstr("results/a"),
                                      HasSubstr("simulated device: sim:a100-pcie4"),
                                      HasSubstr("Model error on 20 held-out cells: 1.0 %")));
  }
}

TEST_F(what_if_tables, are_no_wider_than_the_terminal) {
  situation_.answers[0].world = {.gpu_speed = 2.0, .cores = 16.0, .cached = 0.125};
  const auto width = [](const std::string& text) {
    const std::size_t rule = text.find("\n---") + 1;
    return text.find('\n', rule) - rule;
  };
  EXPECT_GT(width(printed(print_questions)), 90U);
  EXPECT_LE(width(printed(print_questions, 90)), 90U);
}

TEST_F(what_if_tables, say_whose_loader_it_is) {
  for (const auto print : {print_questions, print_forecasts}) {
    EXPECT_THAT(printed(print), HasSubstr("These are rates of feedrate's native loader.\n"));
  }
}

TEST_F(what_if_tables, have_a_row_a_question) {
  EXPECT_THAT(printed(print_questions),
              AllOf(HasSubstr("a GPU twice as fast"), HasSubstr("num_workers=4"),
                    HasSubstr("1,040/s"), HasSubstr("+4.0 %"), HasSubstr("decode CPU")));
}

TEST_F(what_if_tables, mark_gains_below_the_models_error) {
  EXPECT_THAT(printed(print_questions), Not(HasSubstr("+4.0 % ?")));
  situation_.held_out.median_error = 0.05;
  EXPECT_THAT(printed(print_questions), HasSubstr("+4.0 % ?"));
  EXPECT_THAT(printed(print_forecasts), AllOf(HasSubstr("+2.0 % ?"), HasSubstr("+9.5 %  ")));
  EXPECT_THAT(printed(print_questions), HasSubstr("a gain with \"?\" is less than that"));
}

TEST_F(what_if_tables, say_that_they_are_of_the_loader_alone) {
  situation_.is_loader_alone = true;
  EXPECT_THAT(printed(print_questions), HasSubstr("these are rates of the loader alone"));
}

TEST_F(what_if_tables, have_a_row_a_cell_and_the_best_today_and_then) {
  EXPECT_THAT(printed(print_forecasts),
              AllOf(HasSubstr("num_workers=2"), HasSubstr("+2.0 %"), HasSubstr("+9.5 %"),
                    HasSubstr("Best today: num_workers=2: 1,000/s (limit: GPU)"),
                    HasSubstr("Best then:  num_workers=4: 1,040/s (limit: decode CPU)")));
}

TEST_F(what_if_tables, name_settings_that_the_run_does_not_have) {
  situation_.answers[0].forecasts[0].cell = nullptr;
  EXPECT_THAT(printed(print_forecasts), HasSubstr("Best then:  num_workers=4: 1,040/s"));
}

}  // namespace
}  // namespace feedrate
