#include "report/parked_cells.h"

#include <csignal>
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "report/json.h"
#include "tests/report/sample_run.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

std::string text_of(const RunResult& run) {
  std::ostringstream text;
  write_run_json(text, run);
  return text.str();
}

bool is_parked(const CellResult& cell) {
  return cell.metrics.empty() && cell.repeats.front().series.empty();
}

TEST(ParkedCells, gives_back_what_it_took) {
  const testing::TempFolder folder;
  ParkedCells parked(folder.path());
  RunResult run = sample_run();
  parked.park_all(run);
  EXPECT_TRUE(is_parked(run.cells[0]));
  EXPECT_EQ(run.cells[0].repeats.size(), sample_run().cells[0].repeats.size());
  EXPECT_EQ(run.cells[0].settings.size(), sample_run().cells[0].settings.size());
  parked.fetch_all(run);
  EXPECT_EQ(text_of(run), text_of(sample_run()));
}

TEST(ParkedCells, takes_a_cell_that_has_another_start) {
  const testing::TempFolder folder;
  ParkedCells parked(folder.path());
  CellResult cell = sample_run().cells[0];
  parked.park(cell);
  parked.fetch(cell);
  cell.repeats.push_back({{{"samples_per_second", 5.0}}, {{"step_time", {0.25, 0.5}}}});
  cell.metrics[0].value = 777.0;
  const std::string expected = cell_to_json(cell);
  parked.park(cell);
  EXPECT_TRUE(is_parked(cell));
  parked.fetch(cell);
  EXPECT_EQ(cell_to_json(cell), expected);
}

// What is judged of a whole run changes cells that have no start more: it is judged again.
TEST(ParkedCells, parks_again_what_was_only_looked_at) {
  const testing::TempFolder folder;
  ParkedCells parked(folder.path());
  CellResult cell = sample_run().cells[0];
  for (int times = 0; times < 3; ++times) {
    parked.park(cell);
    parked.park(cell);
    EXPECT_TRUE(is_parked(cell));
    parked.fetch(cell);
    parked.fetch(cell);
    EXPECT_EQ(cell_to_json(cell), cell_to_json(sample_run().cells[0]));
  }
}

TEST(ParkedCells, leave_no_file_behind_that_others_see) {
  const testing::TempFolder folder;
  ParkedCells parked(folder.path());
  RunResult run = sample_run();
  parked.park_all(run);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ParkedCells, stay_in_memory_where_there_is_no_folder) {
  const testing::TempFolder folder;
  for (const std::filesystem::path& place : {folder / "missing", std::filesystem::path()}) {
    ParkedCells parked(place);
    RunResult run = sample_run();
    parked.park_all(run);
    EXPECT_EQ(text_of(run), text_of(sample_run()));
    parked.fetch_all(run);
    EXPECT_EQ(text_of(run), text_of(sample_run()));
  }
}

// With the disk full after the first cell, as far as this process can tell.
void park_on_a_full_disk() {
  const testing::TempFolder folder;
  ParkedCells parked(folder.path());
  RunResult run = sample_run();
  std::signal(SIGXFSZ, SIG_IGN);
  const rlim_t most = cell_to_json(run.cells[0]).size() + 10;
  const rlimit limit{most, most};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::abort();
  parked.park_all(run);
  const bool first_is_parked = is_parked(run.cells[0]);
  parked.fetch_all(run);
  std::exit(first_is_parked && text_of(run) == text_of(sample_run()) ? 0 : 1);
}

TEST(ParkedCellsDeathTest, stay_in_memory_where_the_disk_is_full) {
  EXPECT_EXIT(park_on_a_full_disk(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace feedrate
