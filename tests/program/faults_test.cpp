// SPDX-License-Identifier: Apache-2.0
// Damaged datasets and full disks: the message names the faulty file, the sweep continues, and no
// measurement is lost.
#include "analysis/report/csv.h"
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

// The tests of each format have the damages and their messages.
TEST_F(Workspace, a_damaged_dataset_fails_its_cell_with_one_reason_everywhere) {
  make_images();
  prepare("data convert ds bad.tar");
  std::filesystem::resize_file(path("bad.tar"), 20480 + 512);  // between a header and its data
  write("s.yaml", sweep_config("path: bad.tar"));
  const Finished done = fails("sweep s.yaml --out results");
  const RunResult run = read_cells_csv(path("results/cells.csv"));
  ASSERT_EQ(run.cells.size(), 1U);
  const CellResult& cell = run.cells.front();
  EXPECT_EQ(cell.outcome, Outcome::kFailed);
  EXPECT_THAT(cell.reason,
              AllOf(HasSubstr("bad.tar: "), HasSubstr("byte 20"), HasSubstr("truncated")));
  EXPECT_THAT(done.err, HasSubstr("failed: " + cell.reason));
  EXPECT_THAT(done.out, HasSubstr(cell.reason));
  EXPECT_EQ(load_run(path("results")).cells.front().reason, cell.reason);
}

class HalfAJpeg : public Workspace {
 protected:
  void SetUp() override {
    make_images("--encoding jpeg --size 128");  // the first half has the whole header
    cut_in_half("ds/cat/0000003.jpg");
  }
};

TEST_F(HalfAJpeg, fails_its_cell_by_file_and_record_and_the_others_go_on) {
  write("s.yaml", sweep_config("path: ds", "num_workers: [0, 1]"));
  fails("sweep s.yaml --out results --axis batch_size=4,1");
  const RunResult run = read_cells_csv(path("results/cells.csv"));
  for (const CellResult& cell : run.cells) {
    EXPECT_EQ(cell.outcome, Outcome::kFailed);
    EXPECT_THAT(cell.reason, HasSubstr("ds/cat/0000003.jpg: record 6: "));
    EXPECT_EQ(find_metric(cell.metrics, "samples_per_second"), nullptr);
  }
  EXPECT_EQ(run.cells.size(), 4U);
}

TEST_F(HalfAJpeg, makes_formats_incomparable) {
  write("s.yaml", sweep_config("path: ds, format: [folder, tar]"));
  refuses("sweep s.yaml --out results",
          {"ds: 1 record cannot be decoded", "feedrate data convert ds CLEAN"});
  prepare("data convert ds clean");
  write("s.yaml", sweep_config("path: clean, format: [folder, tar]"));
  prepare("sweep s.yaml --out results");
}

TEST_F(HalfAJpeg, is_skipped_and_named_if_the_configuration_says_so) {
  write("s.yaml", sweep_config("path: ds, skip_damaged: true"));
  EXPECT_THAT(succeeds("sweep s.yaml --out results").err,
              AllOf(HasSubstr("1 record damaged"), HasSubstr("ds/cat/0000003.jpg")));
}

class FullDisk : public Workspace {
 protected:
  Finished feedrate_with(std::uint64_t largest_file, std::string_view line) const {
    ChildSetup setup = this->setup();
    setup.largest_file = largest_file;
    return run_feedrate(line, setup);
  }
};

TEST_F(FullDisk, while_results_are_written_keeps_the_last_complete_files_and_prints_the_rest) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: [1, 2, 4, 8], num_workers: [0, 1]"));
  prepare("sweep s.yaml --out whole");
  const auto whole = std::filesystem::file_size(path("whole/run.json"));
  const Finished done = feedrate_with(whole * 7 / 10, "sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("results/run.json"), HasSubstr("cannot write"),
                              HasSubstr("File too large")));
  EXPECT_THAT(done.out, HasSubstr("samples_per_second"));
  EXPECT_THAT(listing("results"), IsSupersetOf({"cells.csv", "run.json", "table.md"}));
  EXPECT_THAT(listing("results"), Each(Not(EndsWith(".tmp"))));
  const RunResult kept = load_run(path("results"));
  EXPECT_EQ(kept.cells.size(), 8U);
  EXPECT_TRUE(kept.interrupted);
  EXPECT_EQ(read_cells_csv(path("results/cells.csv")).cells.size(), 8U);
}

TEST_F(FullDisk, is_noticed_before_the_dataset_is_made) {
  write("s.yaml", sweep_config("path: ds, make: {preset: cifar10-like, count: 16}"));
  const Finished done = feedrate_with(100, "sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("results/run.json"));
  EXPECT_FALSE(exists("ds"));
}

TEST_F(FullDisk, leaves_nothing_of_a_conversion_and_names_the_file) {
  make_images();
  const Finished done = feedrate_with(1500, "data convert ds copy --format tar");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("copy"));
  EXPECT_THAT(listing(), ElementsAre("ds"));
}

}  // namespace
}  // namespace feedrate::testing
