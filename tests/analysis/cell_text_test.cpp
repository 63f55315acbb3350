// SPDX-License-Identifier: Apache-2.0
#include "analysis/cell_text.h"

#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

TEST(VaryingSettings, are_those_that_differ_in_the_plans_order) {
  EXPECT_EQ(varying_settings(sample_run()),
            (std::vector<std::string>{"format", "num_workers", "pin_memory"}));
}

RunResult run_of(const std::vector<Settings>& cells) {
  RunResult run;
  for (const Settings& settings : cells) {
    CellResult cell;
    cell.settings = settings;
    run.cells.push_back(cell);
  }
  return run;
}

TEST(VaryingSettings, count_no_meaning_as_no_value) {
  const RunResult run = run_of({{{"num_workers", std::int64_t{0}}, {"timeout", std::string()}},
                                {{"num_workers", std::int64_t{1}}, {"timeout", std::int64_t{5}}}});
  EXPECT_EQ(varying_settings(run), std::vector<std::string>{"num_workers"});
  EXPECT_EQ(constant_text(run, "timeout"), "5");
}

TEST(VaryingSettings, count_an_empty_value_that_alone_distinguishes_two_cells) {
  const RunResult run =
      run_of({{{"num_workers", std::int64_t{1}}, {"emulate", std::string()}},
              {{"num_workers", std::int64_t{1}}, {"emulate", std::string("p.yaml")}}});
  EXPECT_EQ(varying_settings(run), std::vector<std::string>{"emulate"});
  EXPECT_EQ(constant_settings(run), std::vector<std::string>{"num_workers"});
}

TEST(Describe, leaves_out_settings_the_cell_does_not_have) {
  const std::vector<std::string> names{"num_workers", "colour", "format"};
  EXPECT_EQ(describe(sample_run().cells[0], names), "num_workers=2 format=lmdb");
}

TEST(NameCell, falls_back_to_the_index) {
  EXPECT_EQ(name_cell(sample_run().cells[2], {}), "cell 2");
}

TEST(SimulationNotice, names_each_simulated_device_once) {
  RunResult run = sample_run();
  run.cells[1].settings = {{"device", std::string("sim:h200")}};
  run.cells[2].settings = {{"device", std::string("cuda")}};
  EXPECT_EQ(simulation_notice(run), "simulated device: sim:a100-pcie4, sim:h200");
}

TEST(SimulationNotice, is_empty_for_a_real_device) {
  RunResult run = sample_run();
  run.simulated = false;
  EXPECT_EQ(simulation_notice(run), "");
}

}  // namespace
}  // namespace feedrate
