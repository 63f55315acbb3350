// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/synthesize.h"

#include <cmath>
#include <numeric>
#include <set>

#include "core/error.h"
#include "core/statistics.h"
#include "formats/datasets/noise.h"
#include "formats/datasets/synthetic_image.h"
#include "loaders/decode/decoder.h"
#include "tests/formats/datasets/small_dataset.h"

namespace feedrate::testing {
namespace {

using ::testing::Ge;
using ::testing::Le;

std::vector<double> record_sizes(const MakeOptions& options) {
  const DatasetPlan plan = resolve(options);
  std::vector<double> sizes;
  for (std::size_t i = 0; i < plan.count; ++i) {
    sizes.push_back(static_cast<double>(make_record(plan, i, Payload::kEncoded).payload.size()));
  }
  return sizes;
}

MakeOptions of_preset(const char* preset, std::size_t count) {
  MakeOptions options;
  options.preset = preset;
  options.count = count;
  return options;
}

TEST(Synthesize, makes_32x32_png_files_of_about_2_kilobytes) {
  EXPECT_THAT(mean(record_sizes(of_preset("cifar10-like", 64))), AllOf(Ge(1900), Le(2400)));
}

TEST(Synthesize, makes_500x375_jpeg_files_of_about_110_kilobytes_that_spread_as_photographs_do) {
  MakeOptions options = of_preset("imagenet-like", 64);
  options.size = ImageSize{500, 375};
  const std::vector<double> sizes = record_sizes(options);
  EXPECT_THAT(mean(sizes), AllOf(Ge(100e3), Le(120e3)));
  EXPECT_THAT(sample_stddev(sizes) / mean(sizes), AllOf(Ge(0.15), Le(0.35)));
}

TEST(Synthesize, mixes_sizes_around_500x375_without_changing_the_mean_much) {
  const DatasetPlan plan = resolve(of_preset("imagenet-like", 64));
  std::vector<double> sizes;
  std::set<std::pair<int, int>> shapes;
  for (std::size_t i = 0; i < plan.count; ++i) {
    const OwnedRecord record = make_record(plan, i, Payload::kEncoded);
    const ImageShape shape = make_decoder()->shape(record.payload);
    sizes.push_back(static_cast<double>(record.payload.size()));
    shapes.insert({shape.width, shape.height});
  }
  EXPECT_THAT(mean(sizes), AllOf(Ge(100e3), Le(120e3)));
  EXPECT_TRUE(shapes.contains({500, 375}));
  EXPECT_TRUE(shapes.contains({375, 500}));
  EXPECT_GE(shapes.size(), 4U);
}

// Compilers evaluate the arguments of a call in different orders.
TEST(Synthesize, draws_the_same_image_whatever_the_compiler) {
  Image image;
  draw_synthetic_image({512, 512, 3}, {}, RandomStream(0), image);
  const double sum = std::accumulate(image.pixels.begin(), image.pixels.end(), 0.0);
  EXPECT_NEAR(sum / static_cast<double>(image.pixels.size()), 110.31, 0.01);
}

TEST(Synthesize, gives_the_same_bytes_at_any_number_of_threads) {
  const TempFolder folder;
  make_dataset(small_photos(40), folder / "one.tar", "tar", {.threads = 1});
  make_dataset(small_photos(40), folder / "three.tar", "tar", {.threads = 3});
  EXPECT_EQ(read_file(folder / "one.tar"), read_file(folder / "three.tar"));
}

TEST(Synthesize, makes_an_image_from_seed_and_index_alone) {
  const DatasetPlan few = resolve(small_images(5));
  const DatasetPlan many = resolve(small_images(500));
  MakeOptions other_seed = small_images(5);
  other_seed.seed = 1;
  const OwnedRecord record = make_record(few, 4, Payload::kEncoded);
  EXPECT_EQ(record.payload, make_record(many, 4, Payload::kEncoded).payload);
  EXPECT_NE(record.payload, make_record(few, 3, Payload::kEncoded).payload);
  EXPECT_NE(record.payload, make_record(resolve(other_seed), 4, Payload::kEncoded).payload);
}

TEST(Synthesize, gives_formats_of_pixels_the_pixels_that_png_encodes) {
  const DatasetPlan plan = resolve(small_images());
  const OwnedRecord encoded = make_record(plan, 2, Payload::kEncoded);
  const OwnedRecord pixels = make_record(plan, 2, Payload::kPixels);
  Image image;
  make_decoder()->decode(encoded.payload, image);
  EXPECT_EQ(pixels.shape, image.shape);
  EXPECT_TRUE(std::equal(pixels.payload.begin(), pixels.payload.end(),
                         std::as_bytes(std::span(image.pixels)).begin()));
}

TEST(Synthesize, alternates_classes) {
  const DatasetPlan plan = resolve(small_images());
  EXPECT_THAT(plan.class_names, ElementsAre("airplane", "automobile", "bird"));
  const OwnedRecord record = make_record(plan, 5, Payload::kEncoded);
  EXPECT_EQ(record.label, 2);
  EXPECT_EQ(record.key, "bird/0000005");
}

TEST(Synthesize, names_only_as_many_classes_as_get_ten_images_each) {
  EXPECT_EQ(resolve(of_preset("imagenet-like", 64)).class_names.size(), 6U);
  EXPECT_EQ(resolve(of_preset("imagenet-like", 5)).class_names.size(), 1U);
  EXPECT_EQ(resolve(of_preset("imagenet-like", 1'281'167)).class_names.size(), 1000U);
}

TEST(Synthesize, refuses_options_out_of_range_by_their_flag) {
  const auto resolve_with = [](auto change) {
    MakeOptions options;
    change(options);
    return [options] { (void)resolve(options); };
  };
  EXPECT_THAT(resolve_with([](MakeOptions& o) { o.count = 0; }),
              ThrowsMessage<ConfigError>(HasSubstr("--count 0")));
  EXPECT_THAT(resolve_with([](MakeOptions& o) { o.quality = 101; }),
              ThrowsMessage<ConfigError>(HasSubstr("--quality 101")));
  EXPECT_THAT(resolve_with([](MakeOptions& o) { o.classes = 0; }),
              ThrowsMessage<ConfigError>(HasSubstr("--classes 0")));
  EXPECT_THAT(resolve_with([](MakeOptions& o) {
                o.size = ImageSize{0, 5};
              }),
              ThrowsMessage<ConfigError>(HasSubstr("--size 0x5")));
  EXPECT_THAT(resolve_with([](MakeOptions& o) { o.preset = "mnist"; }),
              ThrowsMessage<ConfigError>(HasSubstr("cifar10-like, imagenet-like")));
}

TEST(Synthesize, asks_for_one_size_where_a_format_of_pixels_needs_it) {
  const TempFolder folder;
  EXPECT_THAT(
      [&] { make_dataset(of_preset("imagenet-like", 3), folder / "x.h5", "hdf5-decoded", {}); },
      ThrowsMessage<ConfigError>(HasSubstr("--size 500x375")));
}

TEST(Synthesize, leaves_nothing_when_it_is_cancelled) {
  const TempFolder folder;
  std::stop_source stop;
  const Job job{
      .threads = 2, .stop = stop.get_token(), .on_start = {}, .on_advance = [&](std::size_t) {
        stop.request_stop();
      }};
  EXPECT_THROW(make_dataset(small_images(50), folder / "x", "folder", job), Cancelled);
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

/// Variance of the differences of means of neighboring blocks of `size` pixels: the energy of one
/// octave.
double octave_energy(const Plane& plane, int size) {
  std::vector<double> differences;
  const auto block = [&](int left, int top) {
    double sum = 0.0;
    for (int y = top; y < top + size; ++y) {
      for (int x = left; x < left + size; ++x) sum += static_cast<double>(plane.row(y)[x]);
    }
    return sum / (size * size);
  };
  for (int y = 0; y + size <= plane.height; y += size) {
    for (int x = 0; x + 2 * size <= plane.width; x += 2 * size) {
      differences.push_back(block(x, y) - block(x + size, y));
    }
  }
  return std::pow(sample_stddev(differences), 2);
}

TEST(Synthesize, draws_noise_whose_octaves_have_equal_energy_as_one_over_f_noise_does) {
  RandomStream random(1);
  const Plane plane = fractal_noise(512, 512, 1.0, 0.5, random);
  const double reference = octave_energy(plane, 4);
  for (const int size : {2, 8, 16}) {
    EXPECT_THAT(octave_energy(plane, size) / reference, AllOf(Ge(0.5), Le(2.0))) << size;
  }
}

TEST(Synthesize, draws_noise_of_mean_zero_and_variance_one) {
  RandomStream random(1);
  const Plane plane = fractal_noise(100, 80, 1.1, 1.0, random);
  const std::vector<double> values(plane.values.begin(), plane.values.end());
  EXPECT_NEAR(mean(values), 0.0, 1e-4);
  EXPECT_NEAR(sample_stddev(values), 1.0, 1e-3);
}

TEST(Synthesize, draws_images_of_a_single_pixel_too) {
  MakeOptions options = small_images(1);
  options.size = ImageSize{1, 1};
  EXPECT_FALSE(make_record(resolve(options), 0, Payload::kEncoded).payload.empty());
}

}  // namespace
}  // namespace feedrate::testing
