// SPDX-License-Identifier: Apache-2.0
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Report : public Workspace {
 protected:
  void make_run() const {
    make_images();
    write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 1]"));
    prepare("sweep s.yaml --out a --profile");
  }
};

TEST_F(Report, makes_a_page_of_a_run) {
  make_run();
  EXPECT_THAT(succeeds("report a").out, HasSubstr("Written: report.html"));
  EXPECT_THAT(read("report.html"),
              AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("Does the loader keep up?"),
                    HasSubstr("Execution Summary (4 steps)")));
}

TEST_F(Report, makes_a_page_of_several_runs_and_of_a_csv) {
  make_run();
  prepare("report a a/run.json a/cells.csv -o all.html");
  EXPECT_THAT(read("all.html"), HasSubstr("a/cells.csv"));
}

TEST_F(Report, a_sweep_says_how_to_make_its_page) {
  make_images();
  write("s.yaml", sweep_config("path: ds"));
  EXPECT_THAT(feedrate("sweep s.yaml --out a").out, HasSubstr("feedrate report a\n"));
}

TEST_F(Report, without_a_run_says_that_one_is_needed) { refuses("report", {"runs is required"}); }

TEST_F(Report, a_run_that_is_not_there_is_named) {
  refuses("report nowhere", {"nowhere: does not exist"});
  EXPECT_FALSE(exists("report.html"));
}

TEST_F(Report, a_damaged_run_is_named_and_leaves_no_page) {
  write("run.json", "{\"schema_version\": 1");
  fails("report run.json", {"run.json"});
  EXPECT_FALSE(exists("report.html"));
}

TEST_F(Report, a_folder_is_refused_as_an_output_file) {
  write("run.json", "{}");
  refuses("report run.json -o .", {"is a folder; must be a file name"});
}

}  // namespace
}  // namespace feedrate::testing
