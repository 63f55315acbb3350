// SPDX-License-Identifier: Apache-2.0
#include "analysis/whose_loader.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

CellResult cell_of(const char* engine, const char* emulate = "") {
  CellResult cell;
  cell.settings = {{"engine", std::string(engine)}, {"emulate", std::string(emulate)}};
  return cell;
}

RunResult run_with(std::vector<CellResult> cells) {
  RunResult run;
  run.environment.facts = {
      {"engine torch", "torch.utils.data.DataLoader; torch 2.15.0, Python 3.11.2"}};
  run.cells = std::move(cells);
  return run;
}

TEST(WhoseLoader, is_feedrates_own_for_the_native_engine) {
  EXPECT_EQ(whose_loader(run_with({cell_of("native")})), "rates of feedrate's native loader");
}

TEST(WhoseLoader, is_pytorchs_with_its_version_for_the_torch_engine) {
  EXPECT_EQ(whose_loader(run_with({cell_of("torch")})), "rates of PyTorch 2.15.0's DataLoader");
}

TEST(WhoseLoader, needs_no_version) {
  RunResult run = run_with({cell_of("torch")});
  run.environment.facts.clear();
  EXPECT_EQ(whose_loader(run), "rates of PyTorch's DataLoader");
}

TEST(WhoseLoader, says_that_costs_are_emulated) {
  EXPECT_EQ(whose_loader(run_with({cell_of("native", "p.yaml")})),
            "rates of feedrate's native loader, emulating the cost of PyTorch's (emulate)");
}

TEST(WhoseLoader, names_each_loader_of_a_run_once_and_none_that_was_skipped) {
  RunResult run = run_with({cell_of("native"), cell_of("torch"), cell_of("native")});
  EXPECT_EQ(whose_loader(run),
            "rates of feedrate's native loader, and of PyTorch 2.15.0's DataLoader");
  EXPECT_EQ(whose_loader(run, run.cells[1]), "rates of PyTorch 2.15.0's DataLoader");
  run.cells[1].outcome = Outcome::kSkipped;
  EXPECT_EQ(whose_loader(run), "rates of feedrate's native loader");
}

TEST(WhoseLoader, names_a_loader_of_the_users_own) {
  CellResult cell = cell_of("torch");
  cell.settings.push_back({"loader_factory", std::string("loaders:spdl")});
  CellResult own = cell_of("torch");
  own.settings.push_back({"loader_factory", std::string("default")});
  EXPECT_EQ(whose_loader(run_with({own, cell})),
            "rates of PyTorch 2.15.0's DataLoader, and of loaders:spdl");
}

TEST(WhoseSentence, says_why_the_engine_was_chosen) {
  RunResult run = run_with({cell_of("native")});
  run.environment.facts.push_back({"engine auto", "no Python has torch"});
  EXPECT_EQ(whose_sentence(run),
            "These are rates of feedrate's native loader (engine: auto; no Python has torch).");
}

TEST(WhoseLoader, is_not_guessed) { EXPECT_EQ(whose_loader(run_with({CellResult()})), ""); }

}  // namespace
}  // namespace feedrate
