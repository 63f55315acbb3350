// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/data.h"
#include "core/error.h"
#include "tests/formats/datasets/small_dataset.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempFolder;
using ::testing::ThrowsMessage;

class DataCommands : public ::testing::Test {
 protected:
  int make(DataMakeOptions options) { return run_data_make(options, console_); }
  int convert(DataConvertOptions options) { return run_data_convert(options, console_); }
  int info(const std::filesystem::path& path) { return run_data_info({.path = path}, console_); }
  int verify(const std::filesystem::path& a, const std::filesystem::path& b) {
    return run_data_verify({.a = a, .b = b}, console_);
  }

  TempFolder folder_;
  std::filesystem::path source_ = testing::make_folder(folder_, testing::small_photos());
  std::ostringstream out_;
  std::ostringstream err_;
  std::stop_source stop_;
  Console console_{.out = out_, .err = err_, .stop = stop_.get_token()};
};

TEST_F(DataCommands, make_refuses_an_encoding_that_it_does_not_know) {
  const DataMakeOptions options{.target = folder_ / "new", .encoding = "gif"};
  EXPECT_THAT([&] { make(options); }, ThrowsMessage<ConfigError>(HasSubstr("--encoding gif")));
}

TEST_F(DataCommands, make_takes_one_number_as_a_square) {
  DataMakeOptions options;
  options.target = folder_ / "new";
  options.make.count = 2;
  options.size = "24";
  EXPECT_EQ(make(options), kExitOk);
  EXPECT_EQ(info(options.target), kExitOk);
  EXPECT_THAT(out_.str(), HasSubstr("all 24×24"));
}

TEST_F(DataCommands, make_and_convert_stop_when_they_are_interrupted) {
  stop_.request_stop();
  DataMakeOptions options;
  options.target = folder_ / "new";
  EXPECT_THROW(make(options), Cancelled);
  EXPECT_THROW(convert({.source = source_, .target = folder_ / "x.tar"}), Cancelled);
  EXPECT_THAT(testing::names_in(folder_.path()), ::testing::ElementsAre("source"));
}

TEST_F(DataCommands, convert_lists_twenty_skipped_records_and_counts_the_rest) {
  const auto many = testing::make_folder(folder_, testing::small_photos(30), "many");
  for (std::size_t i = 0; i < 30; i += 3) {
    for (const auto* name : {"airplane", "automobile", "bird"}) {
      const auto index = i + static_cast<std::size_t>(name == std::string("automobile")) +
                         2 * static_cast<std::size_t>(name == std::string("bird"));
      if (index < 25) {
        testing::cut_in_half(
            many / name /
            (std::string(index < 10 ? "000000" : "00000") + std::to_string(index) + ".jpg"));
      }
    }
  }
  EXPECT_EQ(convert({.source = many, .target = folder_ / "x.tar"}), kExitOk);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("25 records skipped:\n"), HasSubstr("… and 5 more")));
}

TEST_F(DataCommands, info_describes_a_dataset_and_how_to_name_it_in_a_configuration) {
  EXPECT_EQ(info(source_), kExitOk);
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("folder (one file per image"), HasSubstr("records   12"),
                    HasSubstr("JPEG 100"), HasSubstr("all 16×12"),
                    HasSubstr("3 named: airplane 4, automobile 4, bird 4"),
                    HasSubstr("dataset: {path: " + source_.string() + ", format: folder}")));
}

TEST_F(DataCommands, info_names_damaged_records_and_fails) {
  std::filesystem::resize_file(source_ / "bird/0000005.jpg", 10);
  EXPECT_EQ(info(source_), kExitCellFailed);
  EXPECT_THAT(out_.str(), HasSubstr("damaged   1"));
  EXPECT_THAT(err_.str(), HasSubstr("bird/0000005.jpg"));
}

TEST_F(DataCommands, info_finds_all_classes_even_if_they_alternate_like_the_sample) {
  make_dataset(testing::small_images(300), folder_ / "x.lmdb", "lmdb", {});
  EXPECT_EQ(run_data_info({.path = folder_ / "x.lmdb", .sample = 100}, console_), kExitOk);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("A sample of 100 records"), HasSubstr("airplane"),
                                HasSubstr("automobile"), HasSubstr("bird")));
}

TEST_F(DataCommands, verify_fails_for_different_datasets_and_names_the_records) {
  ASSERT_EQ(convert({.source = source_, .target = folder_ / "x.h5"}), kExitOk);
  std::filesystem::remove(source_ / "bird/0000005.jpg");
  EXPECT_EQ(verify(source_, folder_ / "x.h5"), kExitCellFailed);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("1  only in B"), HasSubstr("bird/0000005: only in B"),
                                HasSubstr("NOT identical"), Not(HasSubstr("only in A"))));
}

}  // namespace
}  // namespace feedrate
