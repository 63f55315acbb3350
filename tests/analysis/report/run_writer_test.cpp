// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/run_writer.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <sys/resource.h>

#include "analysis/report/load_run.h"
#include "analysis/report/run_journal.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

const Clock& still_clock() {
  static const ManualClock clock;
  return clock;
}

// Each call takes a second, so writing all files takes long.
class SlowClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override { return now_ += std::chrono::seconds(1); }
  void sleep_until(Nanos) override {}
  void spin_until(Nanos) override {}

 private:
  mutable Nanos now_{};
};

RunResult with_another_start() {
  RunResult run = sample_run();
  run.cells[0].repeats.push_back(run.cells[0].repeats[0]);
  run.cells[0].metrics[0].value = 777.0;
  return run;
}

std::string config_error_of(const fs::path& folder) {
  try {
    RunWriter writer(folder, still_clock());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

// Simulates a full disk: no file of this process can exceed `bytes`.
void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::abort();
}

TEST(RunWriter, creates_the_folder_and_its_files_before_anything_is_measured) {
  const fs::path folder = fresh_folder() / "a" / "b";
  RunWriter writer(folder, still_clock());
  for (const char* const name : {"cells.csv", "run.json", "table.md"}) {
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
}

TEST(RunWriter, keeps_an_earlier_result_until_it_writes) {
  const fs::path folder = fresh_folder();
  RunWriter(folder, still_clock()).write(sample_run());
  const RunWriter second(folder, still_clock(), EarlierRun::kReplace);
  EXPECT_EQ(load_run(folder).cells.size(), sample_run().cells.size());
}

TEST(RunWriter, refuses_a_folder_that_holds_results) {
  for (const char* const result : {"run.json", "cells.csv", "recommendation.json"}) {
    const fs::path folder = fs::path(FEEDRATE_BINARY_DIR) / "test_files" / "holds_results";
    fs::remove_all(folder);
    fs::create_directories(folder);
    std::ofstream(folder / result) << "measured for a week";
    EXPECT_THAT(config_error_of(folder),
                AllOf(StartsWith(folder.string() + ": holds the results of another run"),
                      HasSubstr("--force")));
    EXPECT_EQ(read_whole_file(folder / result), "measured for a week");
  }
}

TEST(RunWriter, takes_a_folder_whose_run_was_killed_before_it_wrote_anything) {
  const fs::path folder = fresh_folder();
  { const RunWriter killed(folder, still_clock()); }
  EXPECT_EQ(config_error_of(folder), "no error");
}

TEST(RunWriter, leaves_no_recommendation_of_the_run_that_it_replaces) {
  const fs::path folder = fresh_folder();
  std::ofstream(folder / "recommendation.json") << "{}";
  RunWriter(folder, still_clock(), EarlierRun::kReplace).write(sample_run());
  EXPECT_FALSE(fs::exists(folder / "recommendation.json"));
}

TEST(RunWriter, rewrites_everything) {
  const fs::path folder = fresh_folder();
  RunWriter writer(folder, still_clock());
  RunResult run = sample_run();
  writer.write(run);
  run.cells.pop_back();
  writer.write(run);
  EXPECT_EQ(load_run(folder / "run.json").cells.size(), run.cells.size());
  EXPECT_EQ(load_run(folder / "cells.csv").cells.size(), run.cells.size());
  EXPECT_NE(read_whole_file(folder / "table.md").find("# Which number"), std::string::npos);
}

TEST(RunWriter, leaves_no_ranks_of_an_earlier_run) {
  const fs::path folder = fresh_folder();
  std::ofstream(folder / "ranks.csv") << "of another one";
  RunWriter(folder, still_clock()).write(sample_run());
  EXPECT_FALSE(fs::exists(folder / "ranks.csv"));
}

TEST(RunWriter, refuses_a_folder_that_is_a_file) {
  const fs::path file = fresh_folder() / "taken";
  std::ofstream(file) << "x";
  EXPECT_EQ(
      config_error_of(file),
      file.string() +
          ": cannot be the results folder: Not a directory; choose a writable folder with --out");
}

TEST(RunWriter, refuses_a_folder_below_a_file) {
  const fs::path file = fresh_folder() / "taken";
  std::ofstream(file) << "x";
  EXPECT_NE(config_error_of(file / "run").find("Not a directory"), std::string::npos);
}

TEST(RunWriter, refuses_a_folder_it_cannot_write_to) {
  const fs::path folder = fresh_folder();
  fs::create_directory(folder / "cells.csv");  // Works for root, too, unlike permissions.
  const std::string message = config_error_of(folder);
  EXPECT_EQ(message.find(folder.string() + ": cannot be written ("), 0U) << message;
  EXPECT_NE(message.find("--out"), std::string::npos);
}

TEST(RunWriter, records_a_start_in_all_files_where_that_takes_little_time) {
  const fs::path folder = fresh_folder();
  RunWriter writer(folder, still_clock());
  writer.write(sample_run());
  const RunResult more = with_another_start();
  writer.record(more, more.cells[0]);
  EXPECT_EQ(*find_metric(load_run(folder / "cells.csv").cells[0].metrics, "samples_per_second"),
            777.0);
  EXPECT_FALSE(fs::exists(folder / "run.journal"));
}

TEST(RunWriter, records_a_start_in_the_journal_alone_where_all_files_would_take_long) {
  const fs::path folder = fresh_folder();
  const SlowClock clock;
  RunWriter writer(folder, clock);
  writer.write(sample_run());
  const std::string before = read_whole_file(folder / "run.json");
  const RunResult more = with_another_start();
  writer.record(more, more.cells[0]);
  EXPECT_EQ(read_whole_file(folder / "run.json"), before);
  const RunResult loaded = load_run(folder);
  EXPECT_EQ(loaded.cells[0].repeats.size(), 3U);
  EXPECT_EQ(loaded.cells[0].metrics[0].value, 777.0);
}

TEST(RunWriter, writes_everything_again_after_a_while) {
  const fs::path folder = fresh_folder();
  const SlowClock clock;
  RunWriter writer(folder, clock);
  const RunResult more = with_another_start();
  writer.write(sample_run());
  for (int i = 0; i < 400; ++i) writer.record(more, more.cells[0]);
  EXPECT_EQ(*find_metric(load_run(folder / "cells.csv").cells[0].metrics, "samples_per_second"),
            777.0);
}

TEST(RunWriter, writes_a_new_warning_at_once) {
  const fs::path folder = fresh_folder();
  const SlowClock clock;
  RunWriter writer(folder, clock);
  writer.write(sample_run());
  RunResult more = with_another_start();
  more.environment.warnings.emplace_back("PyTorch warned.");
  writer.record(more, more.cells[0]);
  EXPECT_EQ(load_run(folder).environment.warnings.back(), "PyTorch warned.");
}

TEST(RunWriter, a_new_run_does_not_take_the_journal_of_a_killed_one) {
  const fs::path folder = fresh_folder();
  const RunResult more = with_another_start();
  append_to_journal(folder / "run.journal", more.cells[0]);
  RunWriter(folder, still_clock()).write(sample_run());
  EXPECT_FALSE(fs::exists(folder / "run.journal"));
}

TEST(RunWriter, a_run_that_goes_on_keeps_its_journal_until_it_is_in_run_json) {
  const fs::path folder = fresh_folder();
  RunWriter(folder, still_clock()).write(sample_run());
  append_to_journal(folder / "run.journal", with_another_start().cells[0]);
  RunWriter writer(folder, still_clock(), EarlierRun::kContinue);
  const RunResult run = load_run(folder);
  EXPECT_EQ(run.cells[0].repeats.size(), 3U);
  writer.write(run);
  EXPECT_FALSE(fs::exists(folder / "run.journal"));
  EXPECT_EQ(load_run(folder).cells[0].repeats.size(), 3U);
}

TEST(RunWriter, knows_in_which_cell_it_was_killed) {
  const fs::path folder = fresh_folder();
  RunWriter(folder, still_clock()).write(sample_run());
  const CellResult cell = sample_run().cells.at(1);
  for (std::size_t times = 1; times <= 2; ++times) {
    RunWriter(folder, still_clock(), EarlierRun::kContinue).begin(cell);
    const RunWriter next(folder, still_clock(), EarlierRun::kContinue);
    EXPECT_EQ(next.killed_in(), std::vector<std::size_t>(times, cell.index));
  }
}

TEST(RunWriter, forgets_that_it_was_killed_when_a_start_ends) {
  const fs::path folder = fresh_folder();
  RunWriter(folder, still_clock()).write(sample_run());
  const RunResult more = with_another_start();
  {
    RunWriter killed(folder, still_clock(), EarlierRun::kContinue);
    killed.begin(more.cells[0]);
  }
  {
    RunWriter second(folder, still_clock(), EarlierRun::kContinue);
    second.begin(more.cells[0]);
    second.record(more, more.cells[0]);
  }
  EXPECT_THAT(RunWriter(folder, still_clock(), EarlierRun::kContinue).killed_in(), IsEmpty());
  EXPECT_FALSE(fs::exists(folder / "run.begun"));
}

TEST(RunWriter, remembers_a_kill_if_the_next_run_is_interrupted) {
  const fs::path folder = fresh_folder();
  RunWriter(folder, still_clock()).write(sample_run());
  const CellResult cell = sample_run().cells.at(0);
  RunWriter(folder, still_clock(), EarlierRun::kContinue).begin(cell);
  {
    RunWriter interrupted(folder, still_clock(), EarlierRun::kContinue);
    interrupted.begin(cell);
    interrupted.write(sample_run());
  }
  EXPECT_THAT(RunWriter(folder, still_clock(), EarlierRun::kContinue).killed_in(), SizeIs(1));
}

TEST(RunWriterDeathTest, keeps_the_last_complete_result_when_the_disk_is_full) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const fs::path folder = fs::path(FEEDRATE_BINARY_DIR) / "test_files" / "full_disk";
  EXPECT_EXIT(
      {
        fs::remove_all(folder);
        RunWriter writer(folder, still_clock());
        writer.write(sample_run());
        RunResult larger = sample_run();
        larger.config_text.append(100'000, 'x');
        limit_file_size(50'000);
        try {
          writer.write(larger);
        } catch (const SystemError& error) {
          std::cerr << error.what();
          std::_Exit(7);
        }
      },
      ::testing::ExitedWithCode(7), "run.json.tmp: cannot write: File too large");
  EXPECT_EQ(load_run(folder / "run.json").config_text, sample_run().config_text);
  EXPECT_EQ(load_run(folder / "cells.csv").cells.size(), sample_run().cells.size());
  EXPECT_FALSE(fs::exists(folder / "run.json.tmp"));
}

}  // namespace
}  // namespace feedrate
