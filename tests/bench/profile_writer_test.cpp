// SPDX-License-Identifier: Apache-2.0
#include "bench/profile_writer.h"

#include <sstream>

#include <gtest/gtest.h>

#include "analysis/decision.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

// Each worker gains 0.1 %: the first cell is proposed as the cheapest, and the last is the fastest.
RunResult run_of_three_cells() {
  RunResult run;
  for (std::size_t i = 0; i < 3; ++i) {
    CellResult& cell = run.cells.emplace_back();
    const double rate = 1000.0 + static_cast<double>(i);
    cell.index = i;
    cell.outcome = Outcome::kOk;
    cell.settings = {{"num_workers", static_cast<std::int64_t>(i)}};
    cell.metrics = {{"samples_per_second", rate}};
    for (std::size_t round = 0; round < 3; ++round) {
      const double noise = (i + round) % 2 == 0 ? 0.01 : -0.01;
      cell.repeats.push_back({.metrics = {{"samples_per_second", rate + noise}}, .round = round});
    }
  }
  return run;
}

TEST(ProfileWriter, prints_the_summary_of_the_proposed_cell_alone) {
  const RunResult run = run_of_three_cells();
  const Proposal answer = decide(run).front();
  ASSERT_NE(answer.proposed, &answer.fastest());
  testing::TempFolder folder;
  testing::write_file(folder / "profile.txt",
                      "\n\n== cell 0: num_workers=0\n\nof none\n\n== cell 1: num_workers=1\n\nof "
                      "one\n\n== cell 2: num_workers=2\n\nof two\n");
  const ProfileWriter writer(folder.path(), {.summary = true, .keep_earlier = true}, run);
  std::ostringstream out;
  writer.print_proposed(out);
  EXPECT_EQ(out.str(),
            "\n"
            "Time breakdown of num_workers=0:\n"
            "\n"
            "of none\n");
}

}  // namespace
}  // namespace feedrate
