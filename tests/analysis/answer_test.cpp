// SPDX-License-Identifier: Apache-2.0
#include "analysis/answer.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"
#include "tests/analysis/rounds.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RunResult workers_run(std::size_t cells, double step, double noise, std::size_t rounds = 3) {
  RunResult run;
  for (std::size_t i = 0; i < cells; ++i) {
    CellResult& cell = run.cells.emplace_back();
    cell.index = i;
    cell.settings = {{"num_workers", static_cast<std::int64_t>(i)}};
    for (std::size_t round = 0; round < rounds; ++round) {
      const double sign = (i + round) % 2 == 0 ? 1.0 : -1.0;
      add_start(cell, round, 1000.0 + step * static_cast<double>(i) + sign * noise);
    }
  }
  return run;
}

std::string answer_of(const RunResult& run) {
  std::ostringstream out;
  print_answer(out, run);
  return out.str();
}

TEST(AnswerText, says_that_the_proposed_is_shown_and_what_else_is) {
  EXPECT_THAT(answer_of(workers_run(3, 1.0, 0.01)),
              AllOf(HasSubstr("Proposed: num_workers=0: 1,000"),
                    HasSubstr("The fastest is num_workers=2: 1,002"),
                    HasSubstr("shown to be within 2 % of the best of 3 cells (95 %, 3 rounds)"),
                    HasSubstr("  num_workers=1: 1,001")));
}

TEST(AnswerText, lists_ten_ties_at_most) {
  EXPECT_THAT(answer_of(workers_run(14, 0.1, 0.001)), HasSubstr("  and 3 more\n"));
}

TEST(AnswerText, names_the_resolution_and_how_to_continue) {
  EXPECT_THAT(
      answer_of(workers_run(3, 1.0, 100.0)),
      AllOf(HasSubstr("no cell is shown to be faster"), HasSubstr("are not distinguishable"),
            HasSubstr("6 more resolve"), HasSubstr("--repeats +6")));
}

TEST(AnswerText, proposes_no_rounds_that_would_not_help) {
  EXPECT_THAT(answer_of(workers_run(3, 1.0, 300.0, 4)),
              AllOf(HasSubstr("too noisy"), Not(HasSubstr("--repeats"))));
}

TEST(AnswerText, compares_other_trainings_on_lines_of_their_own) {
  RunResult run = workers_run(2, 100.0, 0.1);
  for (CellResult& cell : run.cells) cell.settings = {{"drop_last", cell.index == 1}};
  run.cells[1].metrics.push_back({"samples_dropped", 7.0});
  EXPECT_THAT(answer_of(run),
              AllOf(HasSubstr("Proposed: drop_last=false"), HasSubstr("change what is trained"),
                    HasSubstr("  drop_last=true: +10 % (")));
}

TEST(AnswerText, tells_what_a_conversion_gains_and_when_it_pays_off) {
  RunResult run = workers_run(2, 1000.0, 0.1);
  for (CellResult& cell : run.cells) {
    cell.settings = {{"format", std::string(cell.index == 0 ? "folder" : "hdf5")}};
  }
  EXPECT_THAT(answer_of(run),
              AllOf(HasSubstr("Proposed: format=hdf5"), HasSubstr("needs a conversion"),
                    HasSubstr("pays off after 2.0 epochs")));
}

TEST(AnswerText, says_that_a_faster_format_is_not_shown_to_be_faster) {
  RunResult run = workers_run(2, 150.0, 100.0);
  for (CellResult& cell : run.cells) {
    cell.settings = {{"format", std::string(cell.index == 0 ? "folder" : "hdf5")}};
  }
  EXPECT_THAT(answer_of(run),
              AllOf(HasSubstr("Proposed: format=folder"), HasSubstr("format=hdf5 measured +"),
                    HasSubstr("a conversion of the dataset is not recommended, since more "
                              "than 2 % is not shown")));
}

TEST(AnswerText, says_that_faster_cells_lack_a_setting_in_pytorch) {
  RunResult run = workers_run(3, 100.0, 0.1);
  for (CellResult& cell : run.cells) {
    cell.settings.push_back({"decoder", std::string(cell.index == 2 ? "fast" : "library")});
  }
  EXPECT_THAT(answer_of(run), AllOf(HasSubstr("Proposed: num_workers=1"),
                                    HasSubstr("cells that PyTorch has settings for")));
}

TEST(AnswerText, names_cells_by_what_there_was_to_choose_and_says_what_limits_the_proposed) {
  RunResult run = workers_run(3, 100.0, 0.1);
  for (CellResult& cell : run.cells) {
    cell.settings.push_back({"loader", std::string(cell.index == 2 ? "cached" : "dataloader")});
  }
  run.cells[1].metrics.push_back({"trainer_limit", 1200.0});
  run.cells[1].bottleneck = "GPU";
  EXPECT_THAT(answer_of(run), AllOf(HasSubstr("Proposed: num_workers=1: 1,100"),
                                    HasSubstr("Bottleneck: GPU: "), Not(HasSubstr("cached"))));
}

TEST(AnswerText, answers_for_each_condition) {
  RunResult run = workers_run(4, 100.0, 0.1);
  for (CellResult& cell : run.cells) {
    cell.settings.push_back({"engine", std::string(cell.index < 2 ? "native" : "torch")});
  }
  EXPECT_THAT(answer_of(run), AllOf(HasSubstr("With engine=native:\nProposed: num_workers=1"),
                                    HasSubstr("feedrate's native loader"),
                                    HasSubstr("In PyTorch, which may need more workers"),
                                    HasSubstr("With engine=torch:\nProposed: num_workers=3"),
                                    HasSubstr("PyTorch's DataLoader"), HasSubstr("To use it:")));
}

TEST(AnswerText, prints_equal_lines_of_several_conditions_once) {
  const auto in_precisions = [](std::size_t proposed_of_the_last) {
    RunResult run = workers_run(4, 100.0, 0.1);
    for (CellResult& cell : run.cells) {
      const std::size_t place = cell.index % 2;
      const bool is_last = cell.index >= 2;
      const std::size_t workers = is_last ? 1 + place * proposed_of_the_last : 1 + place;
      cell.settings = {{"num_workers", static_cast<std::int64_t>(workers)},
                       {"precision", std::string(is_last ? "bf16" : "fp32")}};
    }
    return answer_of(run);
  };
  const std::string alike = in_precisions(1);
  EXPECT_THAT(alike, AllOf(HasSubstr("With precision=fp32:\nProposed: num_workers=2"),
                           HasSubstr("With precision=bf16:\nProposed: num_workers=2"),
                           HasSubstr("num_workers=2)")));
  EXPECT_GT(alike.find("num_workers=2)"), alike.find("With precision=bf16"));
  const std::string different = in_precisions(3);
  EXPECT_LT(different.find("num_workers=2)"), different.find("With precision=bf16"));
  EXPECT_GT(different.find("num_workers=4)"), different.find("With precision=bf16"));
}

TEST(AnswerText, prints_the_recorded_text_of_a_tune) {
  RunResult run = workers_run(3, 100.0, 0.1);
  run.recommended = Recommended{.settings = run.cells[1].settings, .text = "Recommended: it\n"};
  EXPECT_EQ(answer_of(run), "\nRecommended: it\n");
  EXPECT_EQ(proposed_cells(run), std::vector<const CellResult*>{&run.cells[1]});
}

TEST(AnswerText, repeats_the_notice_of_a_simulated_device) {
  EXPECT_THAT(answer_of(sample_run()), HasSubstr("simulated device: sim:a100-pcie4"));
}

TEST(AnswerText, is_empty_where_nothing_was_measured) { EXPECT_EQ(answer_of(RunResult{}), ""); }

}  // namespace
}  // namespace feedrate
