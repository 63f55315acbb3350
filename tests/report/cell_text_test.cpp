#include "report/cell_text.h"

#include <gtest/gtest.h>

#include "tests/report/sample_run.h"

namespace feedrate {
namespace {

TEST(VaryingSettings, are_those_that_differ_in_the_plans_order) {
  EXPECT_EQ(varying_settings(sample_run()),
            (std::vector<std::string>{"format", "num_workers", "pin_memory"}));
}

TEST(Describe, leaves_out_settings_the_cell_does_not_have) {
  const std::vector<std::string> names{"num_workers", "colour", "format"};
  EXPECT_EQ(describe(sample_run().cells[0], names), "num_workers=2 format=lmdb");
}

TEST(NameCell, falls_back_to_the_place_in_the_plan) {
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
