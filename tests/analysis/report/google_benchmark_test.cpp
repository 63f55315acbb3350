// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/google_benchmark.h"

#include <sstream>

#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

CellResult measured_twice() {
  CellResult cell = sample_run().cells[0];
  cell.repeats.clear();
  for (const double step : {0.0025, 0.0035}) {
    cell.repeats.push_back({{{"step_time", step},
                             {"samples_per_second", 10'000.0},
                             {"cpu_time", 0.0001},
                             {"steps", 60.0}},
                            {}});
  }
  cell.metrics.push_back({"step_time", 0.003});
  return cell;
}

std::string exported(const RunResult& run) {
  std::ostringstream out;
  write_google_benchmark(out, run);
  return out.str();
}

TEST(GoogleBenchmark, is_as_committed) {
  RunResult run = sample_run();
  run.cells[0] = measured_twice();
  expect_golden(exported(run), "tests/golden/report/google_benchmark.json");
}

TEST(GoogleBenchmark, takes_a_table_of_cells_for_one_start) {
  RunResult run = sample_run();
  run.cells = {measured_twice()};
  run.cells[0].repeats.clear();
  const std::string text = exported(run);
  EXPECT_NE(text.find("\"real_time\": 3000000.0"), std::string::npos) << text;
  EXPECT_EQ(text.find("_mean"), std::string::npos);
}

TEST(GoogleBenchmark, leaves_out_what_was_not_measured) {
  RunResult run = sample_run();
  run.cells.erase(run.cells.begin(), run.cells.begin() + 3);
  EXPECT_NE(exported(run).find("\"benchmarks\": []"), std::string::npos);
}

}  // namespace
}  // namespace feedrate
