// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/statistics.h"
#include "formats/datasets/cache.h"
#include "formats/datasets/convert.h"
#include "formats/datasets/opaque_record.h"
#include "formats/datasets/summary.h"
#include "formats/datasets/verify.h"
#include "formats/payload.h"
#include "tests/formats/datasets/small_dataset.h"

namespace feedrate::testing {
namespace {

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

TEST(RecordSizes, are_within_the_limits_of_a_record) {
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

TEST(OpaqueRecords, that_differ_are_reported) {
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
  EXPECT_THAT([&] { make_dataset(small_images(), folder / "x", "npz", {}); },
              ThrowsMessage<ConfigError>(HasSubstr("--preset bytes makes them")));
  const auto images = open_dataset(make_folder(folder, small_images()));
  EXPECT_THAT([&] { convert_dataset(*images, folder / "x", {.format = "npz"}, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("holds opaque bytes, and the source")));
}

TEST(OpaqueRecords, are_written_to_shards_of_the_given_size) {
  const TempFolder folder;
  MakeOptions options = records_of(6, 1000, 0);
  options.shard_bytes = 1;
  make_dataset(options, folder / "one_each", "tfrecord", {});
  EXPECT_EQ(open_dataset(folder / "one_each")->files().size(), 6U);
}

TEST(OpaqueRecords, are_summarized_without_a_size_in_pixels) {
  const TempFolder folder;
  make_dataset(records_of(5, 3000, 0), folder / "npz", "npz", {});
  const DatasetSummary summary = summarize_dataset(*open_dataset(folder / "npz"), 100, {});
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
              ThrowsMessage<ConfigError>(HasSubstr("does not make images")));
  MakeOptions images;
  images.record_bytes = 5;
  EXPECT_THAT([&] { (void)resolve(images); },
              ThrowsMessage<ConfigError>(HasSubstr("cifar10-like makes images")));
}

MakeOptions preset_of(const char* name, std::size_t count) {
  MakeOptions options;
  options.preset = name;
  options.count = count;
  return options;
}

TEST(TokenSizes, are_log_normal_between_their_limits) {
  const TokenSizes sizes{.median = 250.0, .sigma = 0.9, .least = 8, .most = 2048, .vocabulary = 9};
  std::vector<double> lengths;
  for (std::size_t i = 0; i < 20'000; ++i) {
    lengths.push_back(static_cast<double>(draw_length(sizes, sample_stream(1, 0, i))));
  }
  EXPECT_NEAR(median(lengths), 250.0, 10.0);
  EXPECT_NEAR(percentile(lengths, 0.8413) / 250.0, std::exp(0.9),
              0.15);  // One sigma above the median.
  EXPECT_GE(*std::min_element(lengths.begin(), lengths.end()), 8.0);
  EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), 2048.0);
  EXPECT_NEAR(mean_bytes(sizes), 4 * mean(lengths), 100.0);  // mean_bytes() ignores the limits.
}

TEST(TokenRecords, follow_zipfs_law_and_never_hold_the_padding) {
  constexpr std::size_t kCount = 100'000;
  const std::vector<std::byte> bytes = draw_tokens(kCount, 1000, sample_stream(1, 1, 0));
  std::vector<std::int32_t> tokens(kCount);
  ASSERT_EQ(bytes.size(), 4 * kCount);
  std::memcpy(tokens.data(), bytes.data(), bytes.size());
  const auto share = [&](std::int32_t token) {
    const auto count = std::count(tokens.begin(), tokens.end(), token);
    return static_cast<double>(count) / double{kCount};
  };
  EXPECT_EQ(share(0), 0.0);
  EXPECT_LT(*std::max_element(tokens.begin(), tokens.end()), 1000);
  // The share of token k is ln(1 + 1/k) / ln(1000).
  EXPECT_NEAR(share(1), std::log(2.0) / std::log(1000.0), 0.005);
  EXPECT_NEAR(share(9), std::log(10.0 / 9.0) / std::log(1000.0), 0.0025);
}

TEST(TokenRecords, are_the_same_in_each_format_at_any_number_of_threads) {
  const TempFolder folder;
  const MakeOptions options = preset_of("tokens-like", 30);
  make_dataset(options, folder / "npz", "npz", {.threads = 3});
  make_dataset(options, folder / "t.tfrecord", "tfrecord", {.threads = 1});
  const auto npz = open_dataset(folder / "npz");
  EXPECT_EQ(npz->payload(), Payload::kBytes);
  EXPECT_TRUE(verify_datasets(*npz, *open_dataset(folder / "t.tfrecord"), {}).identical());
  const auto cursor = npz->open_cursor();
  for (std::size_t i = 0; i < npz->size(); ++i) {
    const std::size_t size = cursor->read(i).payload.size();
    EXPECT_EQ(size % 4, 0U);
    EXPECT_GE(size, 4 * 8U);
    EXPECT_LE(size, 4 * 2048U);
  }
}

TEST(CloudRecords, hold_as_many_points_as_the_preset_says) {
  const TempFolder folder;
  make_dataset(preset_of("points-like", 1), folder / "p.tfrecord", "tfrecord", {});
  const auto reader = open_dataset(folder / "p.tfrecord");
  EXPECT_EQ(reader->open_cursor()->read(0).payload.size(), 1'200'000U);
  EXPECT_EQ(draw_cloud(3, sample_stream(1, 1, 0)).size(), 36U);
}

TEST(OpaqueRecords, of_a_preset_with_fixed_sizes_refuse_other_sizes) {
  MakeOptions options = preset_of("tokens-like", 5);
  options.record_bytes = 400;
  EXPECT_THAT([&] { (void)resolve(options); },
              ThrowsMessage<ConfigError>(HasSubstr("tokens-like makes records of fixed sizes")));
  options = preset_of("points-like", 5);
  options.quality = 90;
  EXPECT_THAT([&] { (void)resolve(options); },
              ThrowsMessage<ConfigError>(HasSubstr("--preset points-like: does not make images")));
}

TEST(CloudRecords, are_sampled_once_by_a_conversion) {
  const TempFolder folder;
  make_dataset(preset_of("points-like", 2), folder / "p.tfrecord", "tfrecord", {});
  const auto source = open_dataset(folder / "p.tfrecord");
  convert_dataset(*source, folder / "a", {.format = "npz", .sample_points = 10}, {});
  convert_dataset(*source, folder / "b", {.format = "npz", .sample_points = 10}, {.threads = 1});
  const auto sampled = open_dataset(folder / "a");
  EXPECT_TRUE(verify_datasets(*sampled, *open_dataset(folder / "b"), {}).identical());
  const auto cursor = sampled->open_cursor();
  const Record record = cursor->read(1);
  ASSERT_EQ(record.payload.size(), 120U);
  const auto whole = source->open_cursor();
  const Bytes cloud = whole->read(1).payload;
  for (std::size_t at = 0; at < record.payload.size(); at += 12) {
    const Bytes point = record.payload.subspan(at, 12);
    EXPECT_NE(std::search(cloud.begin(), cloud.end(), point.begin(), point.end()), cloud.end());
  }
}

TEST(CloudRecords, are_the_only_records_that_can_be_sampled) {
  const TempFolder folder;
  const auto images = open_dataset(make_folder(folder, small_images()));
  EXPECT_THAT(
      [&] { convert_dataset(*images, folder / "x", {.format = "tar", .sample_points = 5}, {}); },
      ThrowsMessage<ConfigError>(HasSubstr("sampling points: the source has images")));
  make_dataset(records_of(2, 1001, 0), folder / "bytes", "npz", {});
  EXPECT_THAT(
      [&] {
        convert_dataset(*open_dataset(folder / "bytes"), folder / "y",
                        {.format = "npz", .sample_points = 5}, {});
      },
      ThrowsMessage<FormatError>(HasSubstr("not a point cloud")));
}

TEST(CloudRecords, have_their_own_cache_entry_when_sampled) {
  const TempFolder folder;
  make_dataset(preset_of("points-like", 1), folder / "clouds", "npz", {});
  const PreparedDataset first =
      prepare_dataset(folder / "clouds", "npz", {}, {.sample_points = 10});
  EXPECT_TRUE(first.converted);
  EXPECT_EQ(first.path, folder / "clouds.feedrate/npz-10-points/clouds");
  EXPECT_EQ(open_dataset(first.path)->open_cursor()->read(0).payload.size(), 120U);
  EXPECT_FALSE(prepare_dataset(folder / "clouds", "npz", {}, {.sample_points = 10}).converted);
  EXPECT_NE(prepare_dataset(folder / "clouds", "npz", {}, {.sample_points = 20}).path, first.path);
  EXPECT_EQ(prepare_dataset(folder / "clouds", "npz", {}).path, folder / "clouds");
}

}  // namespace
}  // namespace feedrate::testing
