// SPDX-License-Identifier: Apache-2.0
#include "analysis/fairness.h"

#include <gmock/gmock.h>

#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunResult fair_run() {
  RunResult run;
  run.environment.facts = {{"host_name", "node7"}, {"cpu_model", "Some CPU"}, {"storage", "ext4"}};
  run.cells = {measured_cell(0, {{"num_workers", std::int64_t{1}}}, 10.0, 1.0)};
  return run;
}

std::vector<std::string> cautions_of(const RunResult& a, const RunResult& b) {
  const CellPair pair{&a.cells.front(), &b.cells.front()};
  return cautions({a, b, "A", "B"}, {&pair, 1});
}

TEST(Cautions, are_none_between_equals) {
  EXPECT_THAT(cautions_of(fair_run(), fair_run()), IsEmpty());
}

TEST(Cautions, name_what_differs_in_the_machine) {
  RunResult other = fair_run();
  other.environment.facts[1].value = "Other CPU";
  EXPECT_THAT(cautions_of(fair_run(), other),
              Contains("Different CPUs: Some CPU in A, Other CPU in B."));
}

TEST(Cautions, name_another_dataset_under_the_same_format) {
  RunResult one = fair_run(), other = fair_run();
  one.environment.facts.push_back({"dataset lmdb", "2,000 records"});
  other.environment.facts.push_back({"dataset lmdb", "200 records"});
  EXPECT_THAT(cautions_of(one, other), Contains(HasSubstr("Different data, dataset lmdb: 2,000")));
}

TEST(Cautions, name_a_simulated_device_against_a_real_one) {
  RunResult simulated = fair_run();
  simulated.simulated = true;
  EXPECT_THAT(cautions_of(fair_run(), simulated),
              Contains("Different devices: a real device in A, simulated device in B."));
}

TEST(Cautions, name_the_warnings_of_one_run_alone) {
  RunResult one = fair_run(), other = fair_run();
  one.environment.warnings = {"Shared."};
  other.environment.warnings = {"Shared.", "This is a debug build."};
  EXPECT_THAT(cautions_of(one, other), ::testing::ElementsAre("In B only: This is a debug build."));
}

TEST(Cautions, name_a_page_cache_that_held_more) {
  RunResult cold = fair_run(), warm = fair_run();
  cold.cells[0].metrics.push_back({"cached_before", 0.0});
  warm.cells[0].metrics.push_back({"cached_before", 1.0});
  EXPECT_THAT(cautions_of(cold, warm), Contains(HasSubstr("0.0 % in A, 100.0 % in B")));
  EXPECT_THAT(cautions_of(warm, warm), IsEmpty());
}

TEST(Cautions, name_cells_without_an_interval) {
  RunResult once = fair_run();
  once.cells[0] = measured_cell(0, once.cells[0].settings, 10.0);
  EXPECT_THAT(cautions_of(fair_run(), once), Contains(HasSubstr("1 of 1 cells of B")));
}

TEST(Cautions, name_a_run_that_was_interrupted_and_one_without_a_record) {
  RunResult csv = fair_run();
  csv.interrupted = true;
  csv.environment.facts.clear();
  EXPECT_THAT(cautions_of(fair_run(), csv), Contains("B was interrupted."));
  EXPECT_THAT(cautions_of(fair_run(), csv), Contains(HasSubstr("B has no record of its machine")));
}

TEST(EnvironmentDifferences, leave_out_what_changes_from_minute_to_minute) {
  const Environment one{{{"memory_available", "1 GB"}, {"os", "Debian"}}, {}};
  const Environment other{{{"memory_available", "2 GB"}, {"os", "RHEL"}, {"gpu", "H200"}}, {}};
  const std::vector<Difference> differences = environment_differences(one, other);
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].name, "os");
  EXPECT_EQ(differences[1].name, "gpu");
}

}  // namespace
}  // namespace feedrate
