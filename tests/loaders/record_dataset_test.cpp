// SPDX-License-Identifier: Apache-2.0
// Real records through real decoders: all loaders yield the same bytes.
#include "loaders/record_dataset.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "core/random.h"
#include "formats/registry.h"
#include "loaders/decode/encoder.h"
#include "loaders/loader.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

constexpr std::size_t kDatasetRecords = 37;
constexpr std::size_t kDamaged = 5;

std::vector<std::byte> noisy_jpeg(std::uint64_t seed) {
  RandomStream random(seed);
  Image image;
  image.reset({40, 48, 3});
  for (std::uint8_t& value : image.pixels) value = static_cast<std::uint8_t>(random.below(256));
  return encode_jpeg(image, 90);
}

class RecordDataset : public ::testing::Test {
 protected:
  // A tar of small JPEGs, one of which may be truncated.
  std::shared_ptr<const RecordReader> make_tar(bool with_damage) {
    const auto path = folder_.path() / "set.tar";
    const auto writer = find_format("tar").create(path, {});
    for (std::size_t i = 0; i < kDatasetRecords; ++i) {
      std::vector<std::byte> jpeg = noisy_jpeg(i);
      if (with_damage && i == kDamaged) jpeg.resize(jpeg.size() / 2);
      const std::string key = "image" + std::to_string(i);
      writer->append({.payload = jpeg, .label = static_cast<std::int64_t>(i), .key = key});
    }
    writer->finish();
    return open_dataset(path);
  }

  static PipelineSpec random_pipeline() {
    PipelineSpec spec;
    spec.transforms = {RandomResizedCrop{.height = 24, .width = 24}, RandomHorizontalFlip{}};
    spec.normalize = Normalize{{0.5F, 0.4F, 0.3F}, {0.2F, 0.2F, 0.2F}};
    return spec;
  }

  // Two epochs of batches, by epoch and sequence number.
  std::map<std::pair<int, std::uint64_t>, std::vector<std::byte>> load(const Dataset& dataset,
                                                                       LoaderOptions options) {
    options.batch_size = 5;
    options.shuffle = true;
    options.seed = 3;
    const auto loader = make_loader(dataset, resolve(options), *device_);
    std::map<std::pair<int, std::uint64_t>, std::vector<std::byte>> batches;
    for (int epoch = 0; epoch < 2; ++epoch) {
      loader->start_epoch(static_cast<std::uint64_t>(epoch));
      while (const auto batch = loader->next({})) {
        batches[{epoch, batch->sequence}].assign(batch->bytes().begin(), batch->bytes().end());
        damaged_.insert(damaged_.end(), batch->damaged.begin(), batch->damaged.end());
      }
    }
    return batches;
  }

  std::vector<std::string> damaged_;  // Messages of all loaded batches.
  TempFolder folder_;
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
};

TEST_F(RecordDataset, yields_the_same_bytes_at_any_number_of_workers) {
  const auto dataset = make_record_dataset(make_tar(false), random_pipeline(), 3);
  const auto reference = load(*dataset, {});
  ASSERT_EQ(reference.size(), 16U);
  for (const std::int64_t workers : {1, 2, 3, 5}) {
    EXPECT_EQ(load(*dataset, {.num_workers = workers}), reference) << workers << " processes";
    EXPECT_EQ(load(*dataset, {.num_workers = workers,
                              .persistent_workers = true,
                              .pin_memory = true,
                              .in_order = false}),
              reference)
        << workers << " workers, persistent, pinned, as completed";
  }
}

TEST_F(RecordDataset, yields_the_same_bytes_where_a_batch_is_read_together) {
  const auto reader = make_tar(false);
  const auto reference = load(*make_record_dataset(reader, random_pipeline(), 3), {});
  const auto together =
      make_record_dataset(reader, random_pipeline(), 3, OnDamaged::kThrow, BatchReads::kTogether);
  EXPECT_EQ(load(*together, {}), reference);
  EXPECT_EQ(load(*together, {.num_workers = 2}), reference);
}

// A reader that records the calls of expect() of its cursors.
class RecordingReader final : public RecordReader {
 public:
  explicit RecordingReader(std::shared_ptr<const RecordReader> reader)
      : reader_(std::move(reader)) {}

  std::string_view format() const noexcept override { return reader_->format(); }
  std::size_t size() const noexcept override { return reader_->size(); }
  Payload payload() const noexcept override { return reader_->payload(); }
  const std::vector<std::string>& class_names() const noexcept override {
    return reader_->class_names();
  }
  std::vector<std::filesystem::path> files() const override { return reader_->files(); }
  DataLocation locate(std::size_t index) const override { return reader_->locate(index); }
  std::string layout() const override { return reader_->layout(); }
  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<Cursor>(reader_->open_cursor(), expected);
  }

  mutable std::vector<std::vector<std::uint64_t>> expected;

 private:
  class Cursor final : public RecordCursor {
   public:
    Cursor(std::unique_ptr<RecordCursor> cursor, std::vector<std::vector<std::uint64_t>>& expected)
        : cursor_(std::move(cursor)), expected_(expected) {}
    Record read(std::size_t index) override { return cursor_->read(index); }
    void expect(std::span<const std::uint64_t> indices) override {
      expected_.emplace_back(indices.begin(), indices.end());
    }

   private:
    std::unique_ptr<RecordCursor> cursor_;
    std::vector<std::vector<std::uint64_t>>& expected_;
  };

  std::shared_ptr<const RecordReader> reader_;
};

TEST_F(RecordDataset, announces_the_records_of_a_batch_only_if_it_is_read_together) {
  const auto reader = std::make_shared<RecordingReader>(make_tar(false));
  static_cast<void>(load(*make_record_dataset(reader, random_pipeline(), 3), {}));
  EXPECT_THAT(reader->expected, IsEmpty());
  const auto together =
      make_record_dataset(reader, random_pipeline(), 3, OnDamaged::kThrow, BatchReads::kTogether);
  static_cast<void>(load(*together, {}));
  ASSERT_EQ(reader->expected.size(), 16U);
  EXPECT_THAT(reader->expected.front(), SizeIs(5));
  EXPECT_THAT(reader->expected[7], SizeIs(kDatasetRecords % 5));
}

TEST_F(RecordDataset, draws_other_crops_in_another_epoch_and_from_another_seed) {
  const auto reader = make_tar(false);
  const auto dataset = make_record_dataset(reader, random_pipeline(), 3);
  const auto other_seed = make_record_dataset(reader, random_pipeline(), 4);
  const auto batches = load(*dataset, {});
  EXPECT_NE(batches, load(*other_seed, {}));
  EXPECT_NE(batches.at({0, 0}), batches.at({1, 0}));
}

TEST_F(RecordDataset, has_the_shape_of_its_first_sample) {
  PipelineSpec plain;
  plain.dtype = SampleDtype::kUint8;
  const auto dataset = make_record_dataset(make_tar(false), plain, 0);
  EXPECT_EQ(dataset->size(), kDatasetRecords);
  EXPECT_EQ(dataset->sample_bytes(), std::size_t{3} * 40 * 48);
}

TEST_F(RecordDataset, names_file_record_and_offset_of_a_damaged_record) {
  const auto reader = make_tar(true);
  const auto dataset = make_record_dataset(reader, random_pipeline(), 3);
  const std::string location = to_string(reader->locate(kDamaged));
  EXPECT_THAT(location, AllOf(HasSubstr("set.tar: record 5 at byte ")));
  for (const std::int64_t workers : {0, 2}) {
    EXPECT_THAT([&] { static_cast<void>(load(*dataset, {.num_workers = workers})); },
                ThrowsMessage<FormatError>(AllOf(HasSubstr(location), HasSubstr("JPEG"))));
  }
}

TEST_F(RecordDataset, gives_zeros_for_damaged_records_on_request) {
  const auto dataset = make_record_dataset(make_tar(true), random_pipeline(), 3, OnDamaged::kSkip);
  const auto batches = load(*dataset, {.num_workers = 2});
  EXPECT_EQ(batches.size(), 16U);
  EXPECT_THAT(damaged_, ElementsAre(HasSubstr("record 5"), HasSubstr("record 5")));
  const std::size_t sample = dataset->sample_bytes();
  std::size_t blank = 0;
  for (const auto& [location, bytes] : batches) {
    for (std::size_t begin = 0; begin < bytes.size(); begin += sample) {
      const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
      blank += std::all_of(first, first + static_cast<std::ptrdiff_t>(sample),
                           [](std::byte b) { return b == std::byte{0}; });
    }
  }
  EXPECT_EQ(blank, 2U);  // One per epoch.
}

}  // namespace
}  // namespace feedrate::testing
