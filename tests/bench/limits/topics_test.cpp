// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/topics.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/limits/measure.h"
#include "formats/registry.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

LimitsScale small_scale() {
  LimitsScale scale;
  scale.memory_bytes = kMebibyte;
  scale.file_bytes = 2 * kMebibyte;
  scale.small_files = 20;
  scale.pictures = {4, 2, 1};
  return scale;
}

const LimitTopic& topic_of(std::string_view name) {
  const auto topics = limit_topics();
  return *std::find_if(topics.begin(), topics.end(),
                       [&](const LimitTopic& topic) { return topic.name == name; });
}

class Topics : public ::testing::Test {
 protected:
  std::vector<std::string> ids(const char* name, int cpus = 2) {
    LimitsSetting setting = make_limits_setting(folder_.path(), small_scale());
    setting.cpus = cpus;
    std::vector<std::string> all;
    for (LimitBenchmark& one : topic_of(name).plan(setting).benchmarks)
      all.push_back(id_of(one.row));
    return all;
  }
  std::string left_out(const char* name, const LimitsSetting& setting) {
    return topic_of(name).plan(setting).left_out;
  }

  testing::TempFolder folder_;
};

TEST_F(Topics, memory_is_copied_by_one_two_four_and_all_cpus) {
  EXPECT_THAT(ids("memory", 6),
              ElementsAre("/copy/1MiB/threads:1", "/copy/1MiB/threads:2", "/copy/1MiB/threads:4",
                          "/copy/1MiB/threads:6", "/copy_in_cache/64KiB/threads:1",
                          "/copy_in_cache/1MiB/threads:1", "/fill_new_memory/64MiB/threads:1",
                          "/fill_new_huge_pages/64MiB/threads:1",
                          "/fill_new_shared_memory/64MiB/threads:1"));
}

TEST_F(Topics, storage_is_read_cold_and_warm_sequentially_and_randomly_by_block_and_depth) {
  const auto all = ids("storage");
  EXPECT_THAT(all, SizeIs(24));
  for (const char* order : {"sequential_cold", "random_cold", "sequential_warm", "random_warm"}) {
    for (const char* block : {"4KiB", "64KiB", "1MiB"}) {
      EXPECT_THAT(all, ::testing::Contains(fmt::format("/{}/{}/threads:1", order, block)));
    }
  }
  EXPECT_THAT(all, ::testing::Contains("/random_cold/4KiB/threads:16"));
  EXPECT_THAT(all, ::testing::Contains("/random_warm/4KiB/threads:2"));
}

TEST_F(Topics, storage_is_left_out_without_free_space) {
  LimitsSetting setting = make_limits_setting("/proc/self", small_scale());
  EXPECT_THAT(topic_of("storage").plan(setting).benchmarks, IsEmpty());
  EXPECT_THAT(left_out("storage", setting),
              HasSubstr("not enough free space for a file of 16 MiB"));
}

TEST_F(Topics, every_format_is_read_with_small_and_with_large_records) {
  const auto all = ids("formats");
  EXPECT_THAT(all, SizeIs(2 * (formats().size() - 1)));  // .npz files contain no images.
  EXPECT_THAT(all, ::testing::Each(Not(HasSubstr("npz"))));
  EXPECT_THAT(all, ::testing::Contains("/lmdb_32x32_PNG/threads:1"));
  EXPECT_THAT(all, ::testing::Contains("/npy_500x375_pixels/threads:1"));
}

TEST_F(Topics, the_dataset_needs_a_sweep_whose_data_exists) {
  LimitsSetting setting = make_limits_setting(folder_.path(), small_scale());
  EXPECT_THAT(left_out("dataset", setting), HasSubstr("no configuration given"));
  setting.own = OwnData{folder_ / "nowhere", {}};
  EXPECT_THAT(left_out("dataset", setting), HasSubstr("nowhere: does not exist"));
}

class EachTopic : public ::testing::TestWithParam<const char*> {};

TEST_P(EachTopic, runs_without_an_error) {
  const testing::TempFolder folder;
  LimitsOptions options;
  options.folder = folder.path();
  options.only = fmt::format("^{}(/|$)", GetParam());
  options.min_time = 1e-6;
  options.scale = small_scale();
  Pictures images({4, 2, 1});
  const PictureSet& pictures = images.of(Picture::kSmallPng);
  const auto writer =
      find_format("tar").create(folder / "own.tar", {.class_names = pictures.class_names});
  for (const OwnedRecord& record : pictures.records) writer->append(record.view());
  writer->finish();
  options.own = OwnData{folder / "own.tar", {}};
  const Limits limits = measure_limits(options, {}, {});
  ASSERT_THAT(limits.sections, SizeIs(1));
  const LimitSection& section = limits.sections[0];
  if (!section.left_out.empty()) GTEST_SKIP() << section.left_out;
  for (const Limit& row : section.rows) {
    EXPECT_GT(row.value, 0.0) << id_of(row) << ": " << row.warning;
    EXPECT_THAT(row.note, Not(IsEmpty())) << id_of(row);
  }
}

INSTANTIATE_TEST_SUITE_P(Topics, EachTopic,
                         ::testing::Values("memory", "storage", "files", "formats", "decode",
                                           "transforms", "samples", "device", "dataset"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_F(Topics, are_all_run_by_the_test_above) { EXPECT_EQ(limit_topics().size(), 9U); }

}  // namespace
}  // namespace feedrate
