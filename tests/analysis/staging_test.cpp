// SPDX-License-Identifier: Apache-2.0
#include "analysis/staging.h"

#include <cmath>

#include <gmock/gmock.h>

#include "analysis/answer.h"
#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CellResult cell_of(std::size_t index, const char* staging, const char* cache, double rate,
                   std::int64_t workers = 4) {
  CellResult cell = measured_cell(index,
                                  {{"num_workers", workers},
                                   {"batch_size", std::int64_t{10}},
                                   {"staging", std::string(staging)},
                                   {"cache", std::string(cache)}},
                                  rate, 0.01 * rate);
  cell.metrics.push_back({"batches_per_epoch", 100.0});
  if (std::string(staging) != "none") cell.metrics.push_back({"staging_time", 6.0});
  return cell;
}

// An epoch of 1,000 samples: 10 s without staging, 8 s with it.
TEST(StagingGains, pays_when_the_copy_is_made_up_for) {
  RunResult run;
  run.cells = {cell_of(0, "none", "as-is", 100.0), cell_of(1, "copy", "as-is", 125.0)};
  for (const CellResult& chosen : run.cells) {
    const std::vector<StagingGain> gains = staging_gains(run, chosen);
    ASSERT_THAT(gains, SizeIs(1));
    EXPECT_DOUBLE_EQ(gains[0].staging_time, 6.0);
    EXPECT_DOUBLE_EQ(gains[0].epoch_without, 10.0);
    EXPECT_DOUBLE_EQ(gains[0].epoch_with, 8.0);
    EXPECT_DOUBLE_EQ(break_even_epochs(gains[0]), 3.0);
    EXPECT_THAT(staging_sentence(gains[0]),
                HasSubstr("copying the dataset to this node first takes 6"));
    EXPECT_THAT(staging_sentence(gains[0]), HasSubstr("pays off after 3.0 epochs"));
  }
}

// The rate is of all ranks, batches_per_epoch of each one.
TEST(StagingGains, counts_the_samples_of_all_ranks) {
  RunResult run;
  run.cells = {cell_of(0, "none", "as-is", 100.0), cell_of(1, "copy", "as-is", 125.0)};
  for (CellResult& cell : run.cells) cell.settings.push_back({"ranks", std::int64_t{4}});
  const std::vector<StagingGain> gains = staging_gains(run, run.cells[0]);
  ASSERT_THAT(gains, SizeIs(1));
  EXPECT_DOUBLE_EQ(gains[0].epoch_without, 40.0);
}

TEST(StagingGains, never_pays_where_epochs_are_not_shorter) {
  const StagingGain gain{"ram", 6.0, 8.0, 8.0};
  EXPECT_TRUE(std::isinf(break_even_epochs(gain)));
  EXPECT_THAT(staging_sentence(gain), HasSubstr("copying the dataset to memory first"));
  EXPECT_THAT(staging_sentence(gain), HasSubstr("does not pay off"));
}

TEST(StagingGains, compares_cells_that_differ_in_nothing_else) {
  RunResult run;
  run.cells = {cell_of(0, "none", "as-is", 100.0), cell_of(1, "copy", "as-is", 125.0, 8)};
  EXPECT_THAT(staging_gains(run, run.cells[0]), IsEmpty());
  run.cells = {cell_of(0, "none", "cold", 100.0), cell_of(1, "copy", "as-is", 125.0)};
  EXPECT_THAT(staging_gains(run, run.cells[0]), IsEmpty());
}

TEST(StagingGains, compares_memory_with_a_cold_cache_too) {
  RunResult run;
  run.cells = {cell_of(0, "none", "cold", 100.0), cell_of(1, "ram", "as-is", 200.0)};
  EXPECT_THAT(staging_gains(run, run.cells[0]), SizeIs(1));
  EXPECT_THAT(staging_gains(run, run.cells[1]), SizeIs(1));
}

TEST(StagingGains, stand_below_the_best_and_the_lines_say_to_copy) {
  RunResult run;
  run.axes = {"staging"};
  run.cells = {cell_of(0, "none", "as-is", 100.0), cell_of(1, "copy", "as-is", 125.0)};
  std::ostringstream out;
  print_answer(out, run);
  EXPECT_THAT(out.str(), HasSubstr("pays off after 3.0 epochs"));
  EXPECT_THAT(out.str(), HasSubstr("# Copy the dataset to local storage of the node"));
}

}  // namespace
}  // namespace feedrate
