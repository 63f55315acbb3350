// SPDX-License-Identifier: Apache-2.0
// Counts allocations and locks per sample: there are none from storage to the batch, for every
// format, decoder and loader.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"
#include "formats/registry.h"
#include "loaders/decode/encoder.h"
#include "loaders/loader.h"
#include "loaders/record_dataset.h"
#include "tests/support/counting_dataset.h"
#include "tests/support/loading_way.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

enum class Picture { kJpeg, kPng, kNone };

struct Case {
  Format format;
  Payload payload = Payload::kEncoded;
  Picture picture = Picture::kNone;
  Decoding decoding = Decoding::kFast;
  Hdf5Reads hdf5 = Hdf5Reads::kLibrary;

  [[nodiscard]] bool reads_by_library() const {
    return format.name.starts_with("hdf5") && hdf5 == Hdf5Reads::kLibrary;
  }
  /// libjpeg, libpng and HDF5 allocate memory for each image.
  [[nodiscard]] bool works_by_library() const {
    return reads_by_library() || picture != Picture::kNone;
  }

  [[nodiscard]] std::string name() const {
    constexpr std::array kPictures{"_jpeg", "_png", ""};
    constexpr std::array kDecodings{"_fast", "_library", "_scaled"};
    std::string name(format.name);
    std::replace(name.begin(), name.end(), '-', '_');
    if (payload == Payload::kBytes) name += "_bytes";
    name += kPictures[static_cast<std::size_t>(picture)];
    if (picture != Picture::kNone) name += kDecodings[static_cast<std::size_t>(decoding)];
    if (reads_by_library()) name += "_read_by_library";
    return name;
  }
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name(); }

std::vector<Case> cases_of(const Format& format, Hdf5Reads hdf5) {
  std::vector<Case> all;
  for (const Payload payload : {Payload::kPixels, Payload::kBytes}) {
    if (payload_in(format, payload) == payload) {
      all.push_back({format, payload, Picture::kNone, Decoding::kFast, hdf5});
    }
  }
  if (payload_in(format, Payload::kEncoded) != Payload::kEncoded) return all;
  for (const Picture picture : {Picture::kJpeg, Picture::kPng}) {
    for (const Decoding decoding : {Decoding::kFast, Decoding::kLibrary, Decoding::kScaled}) {
      all.push_back({format, Payload::kEncoded, picture, decoding, hdf5});
    }
  }
  return all;
}

std::vector<Case> cases_read(bool by_hdf5_library) {
  std::vector<Case> all;
  for (const Format& format : formats()) {
    for (const Hdf5Reads hdf5 : {Hdf5Reads::kLibrary, Hdf5Reads::kDirect}) {
      if (hdf5 == Hdf5Reads::kDirect && format.name != "hdf5-contiguous") continue;
      for (const Case& row : cases_of(format, hdf5)) {
        if (row.reads_by_library() == by_hdf5_library) all.push_back(row);
      }
    }
  }
  return all;
}

constexpr std::size_t kRecords = 12;
constexpr std::int64_t kBatchSize = 3;
constexpr ImageShape kShape{.height = 40, .width = 48, .channels = 3};

Image noise(std::uint64_t seed) {
  RandomStream random(seed);
  Image image;
  image.reset(kShape);
  for (std::uint8_t& value : image.pixels) value = static_cast<std::uint8_t>(random.below(256));
  return image;
}

class SamplePath : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Dataset> make_dataset() const {
    const Case& row = GetParam();
    const auto path = folder_ / ("data" + std::string(row.format.suffix));
    const auto writer = row.format.create(path, {.records = kRecords, .shape = kShape});
    for (std::size_t i = 0; i < kRecords; ++i) {
      const std::vector<std::byte> bytes = content(i);
      const std::string key = "image" + std::to_string(100 + i);
      writer->append({.payload = bytes,
                      .label = static_cast<std::int64_t>(i),
                      .key = key,
                      .kind = row.payload,
                      .shape = row.payload == Payload::kPixels ? kShape : ImageShape()});
    }
    writer->finish();
    return make_record_dataset(open_dataset(path, {.hdf5 = row.hdf5}), pipeline(), 3);
  }

  std::unique_ptr<Loader> make(const Dataset& dataset, const LoadingWay& way) {
    return make_loader(dataset, resolve(way.options(kBatchSize)), *device_);
  }

 private:
  static std::vector<std::byte> content(std::uint64_t seed) {
    const Image image = noise(seed);
    if (GetParam().picture == Picture::kJpeg) return encode_jpeg(image, 90);
    if (GetParam().picture == Picture::kPng) return encode_png(image);
    const auto pixels = std::as_bytes(std::span(image.pixels)).first(image.shape.size());
    return {pixels.begin(), pixels.end()};
  }

  static PipelineSpec pipeline() {
    PipelineSpec spec;
    if (GetParam().payload == Payload::kBytes) {
      spec.dtype = SampleDtype::kUint8;
      spec.resize_bytes = 300;
      return spec;
    }
    spec.transforms = {RandomResizedCrop{.height = 24, .width = 24}, RandomHorizontalFlip{}};
    spec.normalize = Normalize{{0.5F, 0.4F, 0.3F}, {0.2F, 0.2F, 0.2F}};
    spec.decoding = GetParam().decoding;
    return spec;
  }

  TempFolder folder_;
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
};

TEST_P(SamplePath, takes_no_memory_and_no_lock_after_a_few_batches) {
  const auto dataset = make_dataset();
  for (const LoadingWay& way : kLoadingWays) {
    SCOPED_TRACE(way.name());
    const CountingDataset counting(*dataset);
    const auto loader = make(counting, way);
    for (int round = 0; round < 3; ++round) load_epoch(*loader);
    FetchCounts& counts = counting.counts();
    counts.on = true;
    load_epoch(*loader);
    EXPECT_EQ(counts.samples.load(), kRecords);
    EXPECT_EQ(counts.allocations.load(), 0U);
    if (!GetParam().works_by_library()) {
      EXPECT_EQ(counts.heap_calls.load(), 0U);
    }
    if (!GetParam().reads_by_library()) {
      EXPECT_EQ(counts.locks.load(), 0U);
    }
  }
}

// Excludes HDF5's own reads, whose free lists are unpredictable.
using SamplePathReadDirectly = SamplePath;

TEST_P(SamplePathReadDirectly, has_as_many_heap_calls_in_each_epoch) {
  const auto dataset = make_dataset();
  const CountingDataset counting(*dataset);
  const auto loader = make(counting, kLoadingWays[0]);
  for (int round = 0; round < 3; ++round) load_epoch(*loader);
  FetchCounts& counts = counting.counts();
  counts.on = true;
  load_epoch(*loader);
  const std::size_t once = counts.heap_calls;
  load_epoch(*loader);
  EXPECT_EQ(counts.heap_calls.load(), 2 * once);
  RecordProperty("heap_calls_of_12_samples", static_cast<int>(once));
}

constexpr auto kName = [](const auto& row) { return row.param.name(); };

INSTANTIATE_TEST_SUITE_P(Direct, SamplePath, ::testing::ValuesIn(cases_read(false)), kName);
INSTANTIATE_TEST_SUITE_P(Library, SamplePath, ::testing::ValuesIn(cases_read(true)), kName);
INSTANTIATE_TEST_SUITE_P(Direct, SamplePathReadDirectly, ::testing::ValuesIn(cases_read(false)),
                         kName);

}  // namespace
}  // namespace feedrate::testing
