#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/datasets/convert.h"
#include "bench/datasets/opaque_record.h"
#include "bench/datasets/summary.h"
#include "bench/datasets/verify.h"
#include "core/error.h"
#include "core/statistics.h"
#include "formats/payload.h"
#include "tests/bench/datasets/small_dataset.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using testing::TempFolder;
using ::testing::ThrowsMessage;

std::vector<double> drawn_sizes(const RecordSizes& sizes, std::size_t count) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    drawn.push_back(static_cast<double>(draw_record_size(sizes, sample_stream(1, 0, i))));
  }
  return drawn;
}

MakeOptions records_of(std::size_t count, std::size_t mean, std::size_t stdev) {
  MakeOptions options;
  options.preset = "bytes";
  options.count = count;
  options.record_bytes = mean;
  options.record_bytes_stdev = stdev;
  return options;
}

TEST(RecordSizes, have_the_mean_and_the_deviation_asked_for) {
  constexpr std::size_t kCount = 20'000;
  const double tolerance = 5.0 / std::sqrt(double{kCount});  // Five standard errors of the mean.
  for (const RecordSizes& asked : {RecordSizes{146'600'628, 68'341'808},
                                   RecordSizes{2'828'486, 71'311}, RecordSizes{1000, 300}}) {
    const std::vector<double> sizes = drawn_sizes(asked, kCount);
    const auto mean_asked = static_cast<double>(asked.mean);
    const auto stdev_asked = static_cast<double>(asked.stdev);
    EXPECT_NEAR(mean(sizes), mean_asked, tolerance * stdev_asked);
    EXPECT_NEAR(sample_stddev(sizes) / stdev_asked, 1.0, 0.04);
  }
}

TEST(RecordSizes, without_a_deviation_are_all_the_mean) {
  for (const double size : drawn_sizes({114'660, 0}, 100)) EXPECT_EQ(size, 114'660);
}

TEST(RecordSizes, are_those_of_possible_records_however_they_spread) {
  for (const RecordSizes& asked :
       {RecordSizes{1, 1}, RecordSizes{10, 10}, RecordSizes{kMaxRecordBytes, kMaxRecordBytes}}) {
    for (const double size : drawn_sizes(asked, 1000)) {
      EXPECT_GE(size, 1.0);
      EXPECT_LE(size, static_cast<double>(kMaxRecordBytes));
    }
  }
}

TEST(OpaqueRecords, are_made_in_each_format_that_holds_them_with_the_same_bytes) {
  const TempFolder folder;
  const MakeOptions options = records_of(12, 5000, 1000);
  make_dataset(options, folder / "npz", "npz", {.threads = 2});
  make_dataset(options, folder / "records.tfrecord", "tfrecord", {.threads = 1});
  const auto npz = open_dataset(folder / "npz");
  const auto tfrecord = open_dataset(folder / "records.tfrecord");
  EXPECT_EQ(npz->size(), 12U);
  EXPECT_EQ(npz->payload(), Payload::kBytes);
  EXPECT_EQ(verify_datasets(*npz, *tfrecord, {}).identical_bytes, 12U);
  EXPECT_TRUE(verify_datasets(*npz, *tfrecord, {}).identical());
}

TEST(OpaqueRecords, that_differ_are_told_apart) {
  const TempFolder folder;
  MakeOptions options = records_of(3, 500, 0);
  make_dataset(options, folder / "a", "npz", {});
  options.seed = 1;
  make_dataset(options, folder / "b", "npz", {});
  const VerifyResult result =
      verify_datasets(*open_dataset(folder / "a"), *open_dataset(folder / "b"), {});
  EXPECT_EQ(result.different, 3U);
  EXPECT_THAT(result.differences.front(), HasSubstr("500 bytes in A and 500 in B differ"));
}

TEST(OpaqueRecords, are_converted_from_format_to_format) {
  const TempFolder folder;
  make_dataset(records_of(5, 3000, 500), folder / "npz", "npz", {});
  const auto source = open_dataset(folder / "npz");
  convert_dataset(*source, folder / "x.tfrecord", {.format = "tfrecord"}, {});
  EXPECT_TRUE(verify_datasets(*source, *open_dataset(folder / "x.tfrecord"), {}).identical());
  EXPECT_THAT([&] { convert_dataset(*source, folder / "x.tar", {.format = "tar"}, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("npz and tfrecord hold them")));
}

TEST(OpaqueRecords, are_no_images_and_images_are_no_opaque_records) {
  const TempFolder folder;
  EXPECT_THAT([&] { make_dataset(records_of(5, 3000, 0), folder / "x", "folder", {}); },
              ThrowsMessage<ConfigError>(HasSubstr("npz and tfrecord hold opaque bytes")));
  EXPECT_THAT([&] { make_dataset(testing::small_images(), folder / "x", "npz", {}); },
              ThrowsMessage<ConfigError>(HasSubstr("--preset bytes makes them")));
  const auto images = open_dataset(testing::make_folder(folder, testing::small_images()));
  EXPECT_THAT([&] { convert_dataset(*images, folder / "x", {.format = "npz"}, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("holds opaque bytes, and the source")));
}

TEST(OpaqueRecords, lie_in_files_of_as_many_records_as_asked) {
  const TempFolder folder;
  MakeOptions options = records_of(6, 1000, 0);
  options.shard_bytes = 1;
  make_dataset(options, folder / "one_each", "tfrecord", {});
  EXPECT_EQ(open_dataset(folder / "one_each")->files().size(), 6U);
}

TEST(OpaqueRecords, are_summed_up_without_a_size_in_pixels) {
  const TempFolder folder;
  make_dataset(records_of(5, 3000, 0), folder / "npz", "npz", {});
  const DatasetSummary summary = summarise_dataset(*open_dataset(folder / "npz"), 100, {});
  EXPECT_EQ(summary.bytes, 5U);
  EXPECT_TRUE(summary.problems.empty());
  EXPECT_EQ(mean(summary.record_bytes), 3000);
}

TEST(OpaqueRecords, refuse_options_of_images_and_sizes_out_of_range) {
  MakeOptions options = records_of(5, 3000, 3001);
  EXPECT_THAT([&] { (void)resolve(options); },
              ThrowsMessage<ConfigError>(HasSubstr("--record-bytes-stdev 3001")));
  options = records_of(5, kMaxRecordBytes + 1, 0);
  EXPECT_THAT([&] { (void)resolve(options); },
              ThrowsMessage<ConfigError>(HasSubstr("--record-bytes 1073741825")));
  options = records_of(5, 3000, 0);
  options.quality = 90;
  EXPECT_THAT([&] { (void)resolve(options); },
              ThrowsMessage<ConfigError>(HasSubstr("makes no images")));
  MakeOptions images;
  images.record_bytes = 5;
  EXPECT_THAT([&] { (void)resolve(images); },
              ThrowsMessage<ConfigError>(HasSubstr("cifar10-like makes images")));
}

}  // namespace
}  // namespace feedrate
