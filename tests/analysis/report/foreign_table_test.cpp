// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/foreign_table.h"

#include <filesystem>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ForeignTable : public ::testing::Test {
 protected:
  RunResult read(std::string_view text, const ForeignColumns& columns = {}) const {
    testing::write_file(folder_ / "course.csv", text);
    return read_foreign_table(folder_ / "course.csv", columns);
  }
  template <class Error>
  std::string refused(std::string_view text, const ForeignColumns& columns = {}) const {
    testing::write_file(folder_ / "course.csv", text);
    return refused_file<Error>(columns);
  }
  template <class Error>
  std::string refused_file(const ForeignColumns& columns = {}) const {
    return testing::error_of<Error>(
        [&] { return read_foreign_table(folder_ / "course.csv", columns); });
  }

  testing::TempFolder folder_;
};

TEST_F(ForeignTable, maps_the_columns_of_a_course) {
  const RunResult run = read(
      "workers,pin,prefetch,seconds,remark\n"
      "0,no,,20.0,slow\n"
      "4,yes,8,5.0,\n",
      {"workers=num_workers,pin=pin_memory,prefetch=prefetch_factor,seconds=epoch_time",
       "batch_size=100,samples=10000"});
  ASSERT_THAT(run.cells, SizeIs(2));
  const CellResult& slow = run.cells[0];
  EXPECT_EQ(slow.outcome, Outcome::kOk);
  EXPECT_EQ(*find_setting(slow.settings, "num_workers"), SettingValue(std::int64_t{0}));
  EXPECT_EQ(*find_setting(slow.settings, "pin_memory"), SettingValue(false));
  EXPECT_EQ(*find_setting(slow.settings, "prefetch_factor"), SettingValue(std::int64_t{2}));
  EXPECT_EQ(*find_setting(slow.settings, "batch_size"), SettingValue(std::int64_t{100}));
  EXPECT_EQ(find_setting(slow.settings, "remark"), nullptr);
  EXPECT_DOUBLE_EQ(*find_metric(slow.metrics, "samples_per_second"), 500.0);
  EXPECT_DOUBLE_EQ(*find_metric(slow.metrics, "step_time"), 0.2);
  const CellResult& fast = run.cells[1];
  EXPECT_EQ(fast.index, 1);
  EXPECT_EQ(*find_setting(fast.settings, "pin_memory"), SettingValue(true));
  EXPECT_DOUBLE_EQ(*find_metric(fast.metrics, "samples_per_second"), 2000.0);
}

// The students' table of IDRIS, "Deep Learning Optimized", as printed.
TEST_F(ForeignTable, takes_the_table_of_the_course_as_it_is_printed) {
  const RunResult run = read(
      "jobid,num_workers,persistent_workers,pin_memory,non_blocking,prefetch_factor,drop_last,"
      "loading_time,training_time\n"
      "\"1,204,551\",16,False,False,False,2,False,0.140631 s,81.492809s\n"
      "1204552,8,False,False,False,2,False,0.204219s,\"87.450866 s\"\n",
      {"training_time=epoch_time", "batch_size=512,samples=50000"});
  ASSERT_THAT(run.cells, SizeIs(2));
  EXPECT_DOUBLE_EQ(*find_metric(run.cells[0].metrics, "samples_per_second"), 50000 / 81.492809);
  EXPECT_DOUBLE_EQ(*find_metric(run.cells[0].metrics, "loading_time"), 0.140631);
  EXPECT_EQ(*find_setting(run.cells[0].settings, "persistent_workers"), SettingValue(false));
  EXPECT_DOUBLE_EQ(*find_metric(run.cells[1].metrics, "samples_per_second"), 50000 / 87.450866);
}

TEST_F(ForeignTable, takes_what_a_spreadsheet_writes) {
  const RunResult run = read(
      "\xEF\xBB\xBFnum_workers,pin_memory,samples_per_second\r\n"
      "4,TRUE,\"1,234\"\r\n8,FALSE,\"5,307.5\"\r\n,,\r\n",
      {"", "batch_size=32"});
  ASSERT_THAT(run.cells, SizeIs(2));
  EXPECT_EQ(*find_setting(run.cells[0].settings, "pin_memory"), SettingValue(true));
  EXPECT_EQ(*find_setting(run.cells[1].settings, "num_workers"), SettingValue(std::int64_t{8}));
  EXPECT_DOUBLE_EQ(*find_metric(run.cells[1].metrics, "samples_per_second"), 5307.5);
}

TEST_F(ForeignTable, refuses_a_decimal_comma) {
  EXPECT_THAT(refused<FormatError>("num_workers,step_time\n4,\"0,25\"\n", {"", "batch_size=8"}),
              HasSubstr("step_time is \"0,25\"; must be a number above 0"));
}

TEST_F(ForeignTable, needs_no_mapping_for_columns_with_our_names) {
  const RunResult run = read("num_workers,batch_size,step_time\n2,64,0.5\n4,64,\n");
  ASSERT_THAT(run.cells, SizeIs(1));  // a row without a rate is no cell
  EXPECT_DOUBLE_EQ(*find_metric(run.cells[0].metrics, "samples_per_second"), 128.0);
}

TEST_F(ForeignTable, names_unknown_columns_and_knobs) {
  constexpr std::string_view kTable = "workers,rate\n1,100\n";
  EXPECT_THAT(refused<ConfigError>(kTable, {"wrkers=num_workers", ""}),
              AllOf(HasSubstr("no column \"wrkers\""), HasSubstr("workers, rate")));
  EXPECT_THAT(refused<ConfigError>(kTable, {"workers=num_worker", ""}), HasSubstr("num_worker"));
  EXPECT_THAT(refused<ConfigError>(kTable, {"workers", ""}), HasSubstr("must be NAME=…"));
  EXPECT_THAT(refused<ConfigError>(kTable, {"workers=num_workers,rate=num_workers", ""}),
              HasSubstr("two columns"));
  EXPECT_THAT(refused<ConfigError>(kTable, {"workers=num_workers", ""}),
              HasSubstr("no row has a rate"));
  EXPECT_THAT(refused<ConfigError>(kTable, {"workers=num_workers", "samples=none"}),
              HasSubstr("--given samples: is none"));
  EXPECT_THAT(refused<ConfigError>(kTable, {"workers=num_workers", "num_workers=2"}),
              HasSubstr("has a column with this name"));
}

TEST_F(ForeignTable, names_the_line_of_what_is_wrong) {
  const ForeignColumns columns{"workers=num_workers,rate=samples_per_second", ""};
  EXPECT_THAT(refused<FormatError>("workers,rate\n1,100\n2,fast\n", columns),
              AllOf(HasSubstr("course.csv: line 3"), HasSubstr("\"fast\"")));
  EXPECT_THAT(refused<FormatError>("workers,rate\n1,nan\n", columns), HasSubstr("line 2"));
  EXPECT_THAT(refused<FormatError>("workers,rate\n1\n", columns), HasSubstr("1 fields"));
  EXPECT_THAT(refused<ConfigError>("workers,rate\nmany,100\n", columns),
              HasSubstr("course.csv:2: num_workers"));
  EXPECT_THAT(refused<FormatError>("", columns), HasSubstr("is empty"));
}

TEST_F(ForeignTable, asks_for_the_limits_that_it_lacks) {
  const std::string_view names = "num_workers,loader,trainer,samples_per_second\n";
  const auto missing = [&](std::string rows) {
    return missing_limits(read(std::string(names) + rows));
  };
  EXPECT_THAT(missing("1,,,100\n"),
              AllOf(HasSubstr("loader=cached"), HasSubstr("trainer=discard")));
  EXPECT_THAT(missing("1,,,100\n1,cached,,200\n"), HasSubstr("trainer=discard"));
  EXPECT_THAT(missing("1,,,100\n1,cached,,200\n1,,discard,150\n"), IsEmpty());
  EXPECT_THAT(missing("1,,discard,100\n2,,discard,200\n"), IsEmpty()) << "of the loader alone";
}

// A FIFO must not block, and a large file must not be read into memory.
TEST_F(ForeignTable, must_be_a_regular_file_of_limited_size) {
  EXPECT_THAT(refused_file<ConfigError>(), HasSubstr("must be a CSV file")) << "there is none";
  ASSERT_EQ(::mkfifo((folder_ / "course.csv").c_str(), 0600), 0);
  EXPECT_THAT(refused_file<ConfigError>(), HasSubstr("is not a regular file"));
  std::filesystem::remove(folder_ / "course.csv");
  testing::write_file(folder_ / "course.csv", "workers,seconds\n");
  std::filesystem::resize_file(folder_ / "course.csv", std::uintmax_t{100} << 30);
  EXPECT_THAT(refused_file<ConfigError>(), HasSubstr("is larger than"));
}

}  // namespace
}  // namespace feedrate
