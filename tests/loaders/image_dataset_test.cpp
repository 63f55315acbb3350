// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "formats/registry.h"
#include "loaders/decode/decoder.h"
#include "loaders/decode/encoder.h"
#include "loaders/image_batch.h"
#include "loaders/loader.h"
#include "loaders/record_dataset.h"
#include "tests/loaders/decode/golden.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

Image noisy_image(int height, int width, std::uint64_t seed) {
  RandomStream random(seed);
  Image image;
  image.reset({height, width, 3});
  for (std::uint8_t& value : image.pixels) value = static_cast<std::uint8_t>(random.below(256));
  return image;
}

class ImageDataset : public ::testing::Test {
 protected:
  std::shared_ptr<const RecordReader> store(const std::vector<std::vector<std::byte>>& files) {
    const auto path = folder_ / "set.tar";
    const auto writer = find_format("tar").create(path, {});
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string key = "image" + std::to_string(i);
      writer->append({.payload = files[i], .label = static_cast<std::int64_t>(i), .key = key});
    }
    writer->finish();
    return open_dataset(path);
  }

  static PipelineSpec spec_for(OnDevice on_device) {
    PipelineSpec spec;
    spec.transforms = {RandomResizedCrop{.height = 8, .width = 8}, RandomHorizontalFlip{}};
    spec.dtype = SampleDtype::kPixels;
    spec.on_device = on_device;
    return spec;
  }

  Batch fetch(const Dataset& dataset, const std::vector<std::uint64_t>& indices) {
    Batch batch;
    batch.buffer = std::make_shared<OwnedMemory>(
        device_->allocate_host(indices.size() * dataset.sample_bytes(), HostMemory::kPageable));
    dataset.open_fetcher()->fetch({0, 0, indices}, batch);
    return batch;
  }

  static Bytes bytes_of(const Batch& batch, const BatchedImage& image) {
    return batch.bytes().subspan(image.offset, image.size);
  }

  TempFolder folder_;
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
};

TEST_F(ImageDataset, copies_files_as_stored) {
  const std::vector<std::vector<std::byte>> files{encode_jpeg(noisy_image(20, 30, 0), 90),
                                                  encode_jpeg(noisy_image(40, 10, 1), 90)};
  const auto dataset =
      make_record_dataset(store(files), spec_for(OnDevice::kDecodingAndTransforms), 3);
  const Batch batch = fetch(*dataset, {1, 0, 1});
  EXPECT_THAT(batch.labels, ElementsAre(1, 0, 1));
  const auto images = images_of(batch.bytes());
  ASSERT_EQ(images.size(), 3U);
  for (const auto& [index, file, height] : {std::tuple{0, 1, 40}, {1, 0, 20}, {2, 1, 40}}) {
    const BatchedImage& image = images[static_cast<std::size_t>(index)];
    EXPECT_TRUE(std::ranges::equal(bytes_of(batch, image), files[static_cast<std::size_t>(file)]));
    EXPECT_EQ(image.plan.height, height);
    EXPECT_EQ(image.plan.resized_width, 8);
  }
}

TEST_F(ImageDataset, copies_whole_images_if_the_workers_decode) {
  const Image stored = noisy_image(9, 7, 2);
  const auto dataset =
      make_record_dataset(store({encode_png(stored)}), spec_for(OnDevice::kTransforms), 3);
  const Batch batch = fetch(*dataset, {0});
  const auto images = images_of(batch.bytes());
  ASSERT_EQ(images.size(), 1U);
  EXPECT_TRUE(
      std::ranges::equal(bytes_of(batch, images[0]), std::as_bytes(std::span(stored.pixels))));
  EXPECT_EQ(images[0].plan.width, 7);
}

TEST_F(ImageDataset, plans_depend_on_seed_epoch_and_record_alone) {
  const auto reader = store({encode_jpeg(noisy_image(20, 30, 0), 90)});
  const auto dataset = make_record_dataset(reader, spec_for(OnDevice::kTransforms), 3);
  const auto fetcher = dataset->open_fetcher();
  const auto box_of = [&](std::uint64_t epoch) {
    Batch batch;
    batch.buffer = std::make_shared<OwnedMemory>(
        device_->allocate_host(dataset->sample_bytes(), HostMemory::kPageable));
    fetcher->fetch({.sequence = 0, .epoch = epoch, .indices = {0}}, batch);
    const ImagePlan plan = images_of(batch.bytes())[0].plan;
    return std::tuple(plan.box_top, plan.box_left, plan.box_height, plan.box_width);
  };
  const auto first = box_of(0);
  EXPECT_NE(box_of(1), first);
  EXPECT_EQ(box_of(0), first);
}

TEST_F(ImageDataset, comes_through_worker_processes) {
  std::vector<std::vector<std::byte>> files;
  for (std::uint64_t i = 0; i < 10; ++i) {
    files.push_back(encode_jpeg(noisy_image(10 + static_cast<int>(i), 16, i), 90));
  }
  const auto dataset =
      make_record_dataset(store(files), spec_for(OnDevice::kDecodingAndTransforms), 3);
  const auto loader = make_loader(*dataset, resolve({.batch_size = 4, .num_workers = 2}), *device_);
  loader->start_epoch(0);
  std::size_t next = 0;
  while (const auto batch = loader->next({})) {
    for (const BatchedImage& image : images_of(batch->bytes())) {
      EXPECT_TRUE(std::ranges::equal(bytes_of(*batch, image), files[next])) << next;
      ++next;
    }
  }
  EXPECT_EQ(next, files.size());
}

TEST_F(ImageDataset, rejects_other_files_than_jpeg_for_a_device_that_decodes) {
  const auto dataset = make_record_dataset(store({encode_png(noisy_image(9, 7, 2))}),
                                           spec_for(OnDevice::kDecodingAndTransforms), 3);
  EXPECT_THAT([&] { fetch(*dataset, {0}); },
              ThrowsMessage<FormatError>(AllOf(HasSubstr("set.tar"), HasSubstr("not a JPEG"))));
}

TEST_F(ImageDataset, rejects_or_skips_a_cmyk_file_for_a_device_that_decodes) {
  const auto reader = store({golden::read("grey.jpg"), golden::read("cmyk.jpg")});
  const PipelineSpec spec = spec_for(OnDevice::kDecodingAndTransforms);
  EXPECT_THAT(
      [&] {
        fetch(*make_record_dataset(reader, spec, 3), {0, 1});
      },
      ThrowsMessage<FormatError>(AllOf(HasSubstr("record 1"), HasSubstr("CMYK"))));
  EXPECT_THAT(fetch(*make_record_dataset(reader, spec, 3, OnDamaged::kSkip), {0, 1}).labels,
              ElementsAre(0, kNoLabel));
}

TEST_F(ImageDataset, a_damaged_record_is_no_image_where_that_is_allowed) {
  std::vector<std::byte> cut = encode_jpeg(noisy_image(20, 30, 0), 90);
  cut.resize(10);
  const auto reader = store({cut, encode_jpeg(noisy_image(20, 30, 1), 90)});
  const auto dataset =
      make_record_dataset(reader, spec_for(OnDevice::kDecodingAndTransforms), 3, OnDamaged::kSkip);
  const Batch batch = fetch(*dataset, {0, 1});
  EXPECT_THAT(batch.labels, ElementsAre(kNoLabel, 1));
  EXPECT_THAT(batch.damaged, ElementsAre(HasSubstr("set.tar")));
  const auto images = images_of(batch.bytes());
  ASSERT_EQ(images.size(), 2U);
  EXPECT_EQ(images[0].plan.height, 0);
  EXPECT_EQ(images[0].size, 0U);
  EXPECT_EQ(images[1].plan.height, 20);
  const auto strict = make_record_dataset(reader, spec_for(OnDevice::kDecodingAndTransforms), 3);
  EXPECT_THROW(fetch(*strict, {0}), FormatError);
}

// The estimate inspects every second image, and none of these is large.
TEST_F(ImageDataset, a_batch_that_is_too_large_is_an_error) {
  std::vector<std::vector<std::byte>> files(2000, encode_jpeg(noisy_image(8, 8, 0), 90));
  files[1] = encode_jpeg(noisy_image(80, 80, 0), 90);
  const auto dataset =
      make_record_dataset(store(files), spec_for(OnDevice::kDecodingAndTransforms), 3);
  EXPECT_NO_THROW(fetch(*dataset, {0, 2, 3}));
  EXPECT_THAT([&] { fetch(*dataset, {1}); },
              ThrowsMessage<Error>(HasSubstr("larger than estimated")));
}

}  // namespace
}  // namespace feedrate::testing
