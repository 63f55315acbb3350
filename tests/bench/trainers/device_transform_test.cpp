// SPDX-License-Identifier: Apache-2.0
// Compares images decoded and transformed by the device, from the dataset to the tensor, with the
// CPU's, except for rounding; and tests the cost on a simulated device.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "bench/trainers/trainer.h"
#include "formats/registry.h"
#include "loaders/decode/encoder.h"
#include "loaders/decode/to_tensor.h"
#include "loaders/image_batch.h"
#include "loaders/record_dataset.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

constexpr std::size_t kImages = 12;
constexpr int kSide = 24;

// Reads back the result of the last transform of the default stream.
class WatchedStream final : public testing::ForwardingStream {
 public:
  using ForwardingStream::ForwardingStream;
  void transform(const DeviceBuffer& target, const DeviceBuffer& source,
                 std::span<const PlannedImage> images, const ImageOutput& output,
                 const PixelValues& values) override {
    ForwardingStream::transform(target, source, images, output, values);
    numbers_.resize(images.size() * output.values());
    copy_to_host(std::as_writable_bytes(std::span(numbers_)), target);
    synchronize();
  }
  [[nodiscard]] const std::vector<float>& numbers() const noexcept { return numbers_; }

 private:
  std::vector<float> numbers_;
};

class WatchedDevice final : public testing::ForwardingDevice {
 public:
  explicit WatchedDevice(Device& device)
      : ForwardingDevice(device), stream_(device.default_stream()) {}
  WatchedStream& default_stream() override { return stream_; }

 private:
  WatchedStream stream_;
};

// Reads files as late as allowed: when its stream is synchronized.
class LateDecoder final : public JpegDecoder {
 public:
  explicit LateDecoder(std::size_t& unread) : unread_(unread) {}
  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  void decode(DeviceStream& /*stream*/, const DeviceBuffer& /*target*/,
              std::span<const EncodedImage> images) override {
    unread_ += images.size();
  }

 private:
  std::size_t& unread_;
  const std::string name_ = "late";
};

class LateStream final : public testing::ForwardingStream {
 public:
  LateStream(DeviceStream& stream, std::size_t& unread)
      : ForwardingStream(stream), unread_(unread) {}
  void synchronize() override {
    ForwardingStream::synchronize();
    unread_ = 0;
  }

 private:
  std::size_t& unread_;
};

class LateDevice final : public testing::ForwardingDevice {
 public:
  explicit LateDevice(Device& device)
      : ForwardingDevice(device), stream_(device.default_stream(), unread_) {}
  DeviceStream& default_stream() override { return stream_; }
  std::unique_ptr<JpegDecoder> open_jpeg_decoder() override {
    return std::make_unique<LateDecoder>(unread_);
  }
  [[nodiscard]] std::size_t unread() const noexcept { return unread_; }

 private:
  std::size_t unread_ = 0;
  LateStream stream_;
};

class DeviceTransforms : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto path = folder_ / "set.tar";
    const auto writer = find_format("tar").create(path, {});
    for (std::size_t i = 0; i < kImages; ++i) {
      Image image;
      const auto width = 40 + 3 * i;
      image.reset({48, static_cast<int>(width), 3});
      for (std::size_t at = 0; at < image.pixels.size(); ++at) {
        image.pixels[at] =
            static_cast<std::uint8_t>((at / 3 % width * (i + 2) + at / 3 / width * 5) % 256);
      }
      const std::vector<std::byte> file = encode_jpeg(image, 90);
      const std::string key = "image" + std::to_string(i);
      writer->append({.payload = file, .label = 0, .key = key});
    }
    writer->finish();
    reader_ = open_dataset(path);
  }

  Batch load(const PipelineSpec& spec, HostMemory kind = HostMemory::kPinned) {
    const auto dataset = make_record_dataset(reader_, spec, 7);
    Batch batch;
    batch.buffer = std::make_shared<OwnedMemory>(
        device_->allocate_host(kImages * dataset->sample_bytes(), kind));
    BatchTask task;
    for (std::size_t i = 0; i < kImages; ++i) task.indices.push_back(i);
    dataset->open_fetcher()->fetch(task, batch);
    return batch;
  }

  static PipelineSpec spec_with(std::vector<ImageTransform> transforms) {
    PipelineSpec spec;
    spec.transforms = std::move(transforms);
    spec.decoding = Decoding::kLibrary;
    spec.normalize = Normalize{{0.5F, 0.4F, 0.3F}, {0.2F, 0.25F, 0.3F}};
    return spec;
  }

  static PipelineSpec for_device(PipelineSpec spec, OnDevice share) {
    spec.dtype = SampleDtype::kPixels;
    spec.normalize.reset();
    spec.on_device = share;
    return spec;
  }

  static DeviceTrainerOptions options_for(const Batch& batch, OnDevice share) {
    DeviceTrainerOptions options;
    options.batch_bytes = batch.bytes_used;
    options.transform = {share == OnDevice::kDecodingAndTransforms, {kSide, kSide}, {}};
    return options;
  }

  // The values that a step reads.
  std::vector<float> on_device(const PipelineSpec& spec, OnDevice share) {
    const Batch batch = load(for_device(spec, share));
    WatchedDevice watched(*device_);
    DeviceTrainerOptions options = options_for(batch, share);
    options.transform->values = tensor_values(spec.normalize);
    const auto trainer = make_device_trainer(watched, options,
                                             make_burn_work(std::chrono::milliseconds(1), kImages));
    static_cast<void>(trainer->step(batch));
    return watched.default_stream().numbers();
  }

  std::vector<float> on_cpu(const PipelineSpec& spec) {
    const Batch batch = load(spec);
    std::vector<float> numbers(batch.bytes_used / sizeof(float));
    std::memcpy(numbers.data(), batch.bytes().data(), batch.bytes_used);
    return numbers;
  }

  void expect_same(const std::vector<ImageTransform>& transforms) {
    const PipelineSpec spec = spec_with(transforms);
    const std::vector<float> expected = on_cpu(spec);
    for (const OnDevice share : {OnDevice::kTransforms, OnDevice::kDecodingAndTransforms}) {
      const std::vector<float> got = on_device(spec, share);
      ASSERT_EQ(got.size(), expected.size());
      // A level is at most 1 / 255 / 0.2. Pillow also rounds between rows and columns.
      float largest = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        largest = std::max(largest, std::abs(got[i] - expected[i]));
      }
      EXPECT_LE(largest, 2.01F / 255.0F / 0.2F);
    }
  }

  static SimulatedDeviceSpec moving_spec() {
    SimulatedDeviceSpec spec = testing::ideal_device_spec();
    spec.move_bytes = true;
    spec.decode_jpeg = testing::decode_on_the_cpu;
    spec.jpeg_rate = 1e9;
    return spec;
  }

  testing::TempFolder folder_;
  std::shared_ptr<const RecordReader> reader_;
  ManualClock clock_;
  std::unique_ptr<Device> device_ = make_simulated_device(moving_spec(), clock_);
};

TEST_F(DeviceTransforms, of_training_equal_those_of_the_cpu) {
  expect_same({RandomResizedCrop{.height = kSide, .width = kSide}, RandomHorizontalFlip{}});
}

TEST_F(DeviceTransforms, of_validation_equal_those_of_the_cpu) {
  expect_same({Resize{30, {}}, CenterCrop{kSide, kSide}});
}

TEST_F(DeviceTransforms, that_only_resize_or_only_crop_equal_those_of_the_cpu) {
  expect_same({Resize{kSide, kSide}});
  expect_same({CenterCrop{kSide, kSide}, RandomHorizontalFlip{}});
}

class DeviceTransformTrainer : public DeviceTransforms {
 protected:
  Batch images(OnDevice share, HostMemory kind = HostMemory::kPinned) {
    return load(for_device(spec_with({Resize{kSide, kSide}}), share), kind);
  }

  std::unique_ptr<Trainer> make(const DeviceTrainerOptions& options) {
    return make_device_trainer(*device_, options,
                               make_burn_work(std::chrono::milliseconds(30), kImages));
  }
};

TEST_F(DeviceTransformTrainer, the_copy_takes_the_time_of_the_pixels) {
  const Batch batch = images(OnDevice::kTransforms);
  const auto trainer = make(options_for(batch, OnDevice::kTransforms));
  const Nanos start = clock_.now();
  const StepTiming timing = trainer->step(batch);
  EXPECT_EQ(timing.copied - start, Nanos(batch.bytes_used));  // 1 ns per byte
}

TEST_F(DeviceTransformTrainer, the_copy_takes_the_time_of_the_files_and_their_decoding) {
  const Batch batch = images(OnDevice::kDecodingAndTransforms);
  std::size_t file_bytes = 0;
  std::size_t pixels = 0;
  for (const BatchedImage& image : images_of(batch.bytes())) {
    file_bytes += image.size;
    pixels += static_cast<std::size_t>(image.plan.height * image.plan.width);
  }
  const auto trainer = make(options_for(batch, OnDevice::kDecodingAndTransforms));
  const Nanos start = clock_.now();
  const StepTiming timing = trainer->step(batch);
  EXPECT_EQ(timing.copied - start, Nanos(file_bytes + pixels));  // plus 1 ns per pixel
}

TEST_F(DeviceTransformTrainer, the_step_is_longer_by_the_transforms) {
  const Batch batch = images(OnDevice::kTransforms);
  const auto trainer = make(options_for(batch, OnDevice::kTransforms));
  const StepTiming timing = trainer->step(batch);
  EXPECT_GT(timing.trained - timing.copied, std::chrono::milliseconds(30));
  EXPECT_LT(timing.trained - timing.copied, std::chrono::milliseconds(31));
}

TEST_F(DeviceTransformTrainer, growing_batches_get_larger_buffers) {
  for (const CopyStream stream : {CopyStream::kSame, CopyStream::kSide}) {
    const Batch batch = images(OnDevice::kDecodingAndTransforms);
    DeviceTrainerOptions options = options_for(batch, OnDevice::kDecodingAndTransforms);
    options.batch_bytes = 16;
    options.copy_stream = stream;
    const auto trainer = make(options);
    for (int step = 0; step < 5; ++step) static_cast<void>(trainer->step(batch));
    EXPECT_EQ(trainer->finish().size(), 5U);
  }
}

TEST_F(DeviceTransformTrainer, files_in_pageable_memory_are_decoded_before_it_is_released) {
  for (const HostMemory kind : {HostMemory::kPageable, HostMemory::kPinned}) {
    const auto ideal = testing::make_ideal_device(clock_);
    LateDevice device(*ideal);
    Batch batch = images(OnDevice::kDecodingAndTransforms, kind);
    DeviceTrainerOptions options = options_for(batch, OnDevice::kDecodingAndTransforms);
    options.non_blocking = true;
    options.sync_every = 0;
    const auto trainer =
        make_device_trainer(device, options, make_burn_work(std::chrono::milliseconds(1), kImages));
    static_cast<void>(trainer->step(std::move(batch)));
    EXPECT_EQ(device.unread(), kind == HostMemory::kPageable ? 0 : kImages);
  }
}

TEST_F(DeviceTransformTrainer, a_device_without_a_decoder_refuses) {
  const DeviceTrainerOptions options = options_for({}, OnDevice::kDecodingAndTransforms);
  device_ = testing::make_ideal_device(clock_);
  EXPECT_THROW(make(options), DeviceError);
}

}  // namespace
}  // namespace feedrate
