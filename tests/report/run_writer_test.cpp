#include "report/run_writer.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/error.h"
#include "report/durable_file.h"
#include "report/load_run.h"
#include "tests/report/golden.h"
#include "tests/report/sample_run.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::string config_error_of(const fs::path& folder) {
  try {
    RunWriter writer(folder);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

// The disk is full after `bytes` of any file, as far as this process can tell.
void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::abort();
}

TEST(RunWriter, creates_the_folder_and_its_files_before_anything_is_measured) {
  const fs::path folder = fresh_folder() / "a" / "b";
  const RunWriter writer(folder);
  for (const char* const name : {"cells.csv", "run.json", "table.md"}) {
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
}

TEST(RunWriter, keeps_an_earlier_result_until_it_writes) {
  const fs::path folder = fresh_folder();
  RunWriter(folder).write(sample_run());
  const RunWriter second(folder);
  EXPECT_EQ(load_run(folder).cells.size(), sample_run().cells.size());
}

TEST(RunWriter, rewrites_everything) {
  const fs::path folder = fresh_folder();
  const RunWriter writer(folder);
  RunResult run = sample_run();
  writer.write(run);
  run.cells.pop_back();
  writer.write(run);
  EXPECT_EQ(load_run(folder / "run.json").cells.size(), run.cells.size());
  EXPECT_EQ(load_run(folder / "cells.csv").cells.size(), run.cells.size());
  EXPECT_NE(read_whole_file(folder / "table.md").find("# Which number"), std::string::npos);
}

TEST(RunWriter, refuses_a_folder_that_is_a_file) {
  const fs::path file = fresh_folder() / "taken";
  std::ofstream(file) << "x";
  EXPECT_EQ(config_error_of(file), file.string() +
                                       ": cannot be the output folder: Not a directory; name a "
                                       "folder that can be created with --out");
}

TEST(RunWriter, refuses_a_folder_below_a_file) {
  const fs::path file = fresh_folder() / "taken";
  std::ofstream(file) << "x";
  EXPECT_NE(config_error_of(file / "run").find("Not a directory"), std::string::npos);
}

TEST(RunWriter, refuses_a_folder_it_cannot_write_to) {
  const fs::path folder = fresh_folder();
  fs::create_directory(folder / "cells.csv");  // Holds for root, too, unlike permissions.
  const std::string message = config_error_of(folder);
  EXPECT_EQ(message.find(folder.string() + ": cannot be written to ("), 0U) << message;
  EXPECT_NE(message.find("--out"), std::string::npos);
}

TEST(RunWriterDeathTest, keeps_the_last_complete_result_when_the_disk_is_full) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const fs::path folder = fs::path(FEEDRATE_BINARY_DIR) / "test_files" / "full_disk";
  EXPECT_EXIT(
      {
        fs::remove_all(folder);
        const RunWriter writer(folder);
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
