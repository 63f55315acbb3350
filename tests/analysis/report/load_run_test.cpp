// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/load_run.h"

#include <fstream>

#include <gtest/gtest.h>

#include "analysis/report/run_writer.h"
#include "core/error.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

TEST(LoadRun, prefers_the_json_of_a_folder) {
  const std::filesystem::path folder = fresh_folder();
  RunWriter(folder, ManualClock()).write(sample_run());
  EXPECT_EQ(load_run(folder).question, sample_run().question);
  EXPECT_EQ(load_run(folder / "run.json").question, sample_run().question);
}

TEST(LoadRun, takes_the_csv_where_the_json_is_missing_or_empty) {
  const std::filesystem::path folder = fresh_folder();
  RunWriter(folder, ManualClock()).write(sample_run());
  std::filesystem::resize_file(folder / "run.json", 0);
  EXPECT_EQ(load_run(folder).cells.size(), sample_run().cells.size());
  EXPECT_EQ(load_run(folder / "cells.csv").question, "");
}

TEST(LoadRun, says_what_to_name_where_there_is_no_result) {
  const std::filesystem::path folder = fresh_folder();
  EXPECT_THROW(static_cast<void>(load_run(folder)), ConfigError);
  EXPECT_THROW(static_cast<void>(load_run(folder / "nothing.csv")), ConfigError);
}

}  // namespace
}  // namespace feedrate
