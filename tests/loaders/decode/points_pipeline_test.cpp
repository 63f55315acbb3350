// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/points_pipeline.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>

#include "core/error.h"
#include "tests/loaders/decode/allocations.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

using Point = std::array<float, 3>;

PipelineSpec sample(std::size_t points) {
  PipelineSpec spec;
  spec.dtype = SampleDtype::kUint8;
  spec.sample_points = points;
  return spec;
}

// Point i is (i, i + 0.5, -i).
std::vector<Point> cloud_of(std::size_t points) {
  std::vector<Point> cloud;
  for (std::size_t i = 0; i < points; ++i) {
    const auto x = static_cast<float>(i);
    cloud.push_back({x, x + 0.5F, -x});
  }
  return cloud;
}

Record record_of(const std::vector<Point>& cloud) {
  Record record;
  record.payload = std::as_bytes(std::span(cloud));
  record.kind = Payload::kBytes;
  return record;
}

std::vector<Point> draw(SamplePipeline& pipeline, const std::vector<Point>& cloud,
                        std::size_t points, std::uint64_t epoch = 0, std::uint64_t index = 0) {
  std::vector<Point> out(points);
  const Record record = record_of(cloud);
  pipeline.make_sample(record, epoch, index, pipeline.shape(record),
                       std::as_writable_bytes(std::span(out)));
  return out;
}

TEST(PointsPipeline, draws_whole_points_of_the_cloud) {
  const auto pipeline = make_sample_pipeline(sample(500), 7);
  const std::vector<Point> cloud = cloud_of(100);
  std::set<Point> drawn;
  for (const Point& point : draw(*pipeline, cloud, 500)) {
    EXPECT_NE(std::find(cloud.begin(), cloud.end(), point), cloud.end());
    drawn.insert(point);
  }
  EXPECT_GT(drawn.size(), 90U);  // 500 draws miss about 1 in 150 of the points.
}

TEST(PointsPipeline, draws_by_seed_epoch_and_record_alone) {
  const std::vector<Point> cloud = cloud_of(1000);
  const auto pipeline = make_sample_pipeline(sample(50), 7);
  const auto same = make_sample_pipeline(sample(50), 7);
  const auto other = make_sample_pipeline(sample(50), 8);
  const std::vector<Point> first = draw(*pipeline, cloud, 50, 1, 2);
  EXPECT_EQ(draw(*same, cloud, 50, 1, 2), first);
  EXPECT_NE(draw(*other, cloud, 50, 1, 2), first);
  EXPECT_NE(draw(*pipeline, cloud, 50, 2, 2), first);
  EXPECT_NE(draw(*pipeline, cloud, 50, 1, 3), first);
}

TEST(PointsPipeline, takes_points_of_a_small_cloud_more_than_once) {
  const auto pipeline = make_sample_pipeline(sample(4), 7);
  EXPECT_EQ(draw(*pipeline, cloud_of(1), 4), std::vector<Point>(4, cloud_of(1).front()));
}

TEST(PointsPipeline, has_one_shape_for_any_record) {
  const auto pipeline = make_sample_pipeline(sample(5), 7);
  EXPECT_EQ(pipeline->shape({}).bytes(), 60U);
}

TEST(PointsPipeline, rejects_records_that_are_no_cloud) {
  const auto pipeline = make_sample_pipeline(sample(2), 7);
  std::vector<std::byte> out(24);
  for (const std::size_t size : {std::size_t{0}, std::size_t{13}}) {
    const std::vector<std::byte> payload(size);
    Record record;
    record.payload = payload;
    record.kind = Payload::kBytes;
    EXPECT_THAT([&] { pipeline->make_sample(record, 0, 0, pipeline->shape(record), out); },
                ThrowsMessage<FormatError>(HasSubstr("not a point cloud")));
  }
}

TEST(PointsPipeline, rejects_images) {
  const auto pipeline = make_sample_pipeline(sample(2), 7);
  std::vector<std::byte> out(24);
  for (const Payload kind : {Payload::kEncoded, Payload::kPixels}) {
    Record record;
    record.payload = out;
    record.kind = kind;
    EXPECT_THAT([&] { pipeline->make_sample(record, 0, 0, pipeline->shape(record), out); },
                ThrowsMessage<FormatError>(HasSubstr("holds an image")));
  }
}

TEST(PointsPipeline, allocates_nothing_for_a_sample) {
  const auto pipeline = make_sample_pipeline(sample(10), 7);
  const std::vector<Point> cloud = cloud_of(100);
  const Record record = record_of(cloud);
  const SampleShape shape = pipeline->shape(record);
  std::vector<std::byte> out(shape.bytes());
  const std::size_t before = allocations();
  pipeline->make_sample(record, 0, 0, shape, out);
  EXPECT_EQ(allocations(), before);
}

TEST(PointsPipeline, stands_alone) {
  PipelineSpec both = sample(5);
  both.resize_bytes = 60;
  EXPECT_THAT([&] { (void)make_sample_pipeline(both, 1); },
              ThrowsMessage<ConfigError>(HasSubstr("must be the only transform")));
  EXPECT_THAT([&] { (void)make_sample_pipeline(sample(0), 1); },
              ThrowsMessage<ConfigError>(HasSubstr("sample_points is 0")));
}

}  // namespace
}  // namespace feedrate
