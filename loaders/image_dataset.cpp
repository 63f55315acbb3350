// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/nvtx.h"
#include "loaders/decode/image_plan.h"
#include "loaders/decode/record_pixels.h"
#include "loaders/image_batch.h"
#include "loaders/record_dataset.h"
#include "loaders/stage_timer.h"

namespace feedrate {
namespace {

constexpr std::size_t kInspected = 1000;

bool is_jpeg(Bytes file) {
  return file.size() > 2 && file[0] == std::byte{0xff} && file[1] == std::byte{0xd8};
}

class ImageCursor {
 public:
  ImageCursor(const RecordReader& reader, const PipelineSpec& spec)
      : reader_(reader),
        cursor_(reader.open_cursor()),
        pixels_(spec.decoding),
        decodes_(spec.on_device == OnDevice::kTransforms) {}

  void expect(std::span<const std::uint64_t> indices) { cursor_->expect(indices); }

  Record read(std::uint64_t index) { return cursor_->read(index); }

  // Bytes that the image takes in the batch; reads only the image's header.
  std::size_t size(const Record& record) {
    return decodes_ ? pixels_.shape(record).size() : record.payload.size();
  }

  struct Ready {
    ImageShape shape;
    Bytes bytes;
  };

  // The bytes are valid until the next call.
  Ready prepare(const Record& record) {
    if (decodes_) {
      const Image& image = pixels_.decode(record);
      return {image.shape, std::as_bytes(std::span(image.pixels))};
    }
    if (record.kind != Payload::kEncoded || !is_jpeg(record.payload)) {
      throw FormatError("is not a JPEG file, the only format of nvJPEG");
    }
    if (pixels_.is_cmyk(record)) {
      throw FormatError("is a CMYK JPEG file; nvJPEG decodes only grayscale and RGB");
    }
    return {pixels_.shape(record), record.payload};
  }

  [[nodiscard]] DataLocation locate(std::uint64_t index) const {
    DataLocation location = reader_.locate(index);
    location.record = index;
    return location;
  }

 private:
  const RecordReader& reader_;
  std::unique_ptr<RecordCursor> cursor_;
  RecordPixels pixels_;
  bool decodes_;
};

class ImageFetcher final : public Fetcher {
 public:
  ImageFetcher(ImageCursor images, const PipelineSpec& spec, std::uint64_t seed,
               OnDamaged on_damaged, BatchReads reads)
      : images_(std::move(images)),
        spec_(spec),
        seed_(seed),
        on_damaged_(on_damaged),
        reads_(reads) {}

  void fetch(const BatchTask& task, Batch& batch) override {
    const NvtxRange range("fetch", task.sequence);
    if (reads_ == BatchReads::kTogether) {
      const StageTimer timer(batch.times.read);
      images_.expect(task.indices);
    }
    batch.bytes_used = 0;
    for (const std::uint64_t index : task.indices) add(task.epoch, index, batch);
  }

 private:
  void add(std::uint64_t epoch, std::uint64_t index, Batch& batch) {
    try {
      const Record record = read(index, batch);
      const NvtxRange range("decode", index);
      const StageTimer timer(batch.times.decode);
      RandomStream random = sample_stream(seed_, epoch, index);
      const auto [shape, bytes] = images_.prepare(record);
      put(plan_image(spec_, shape, random), bytes, batch);
      batch.labels.push_back(record.label);
    } catch (const FormatError& error) {
      if (on_damaged_ == OnDamaged::kThrow) throw FormatError(images_.locate(index), error.what());
      batch.damaged.push_back(FormatError(images_.locate(index), error.what()).what());
      put({}, {}, batch);
      batch.labels.push_back(kNoLabel);
    }
  }

  Record read(std::uint64_t index, Batch& batch) {
    const NvtxRange range("read", index);
    const StageTimer timer(batch.times.read);
    return images_.read(index);
  }

  static void put(const ImagePlan& plan, Bytes image, Batch& batch) {
    const MutableBytes rest = batch.buffer->bytes().subspan(batch.bytes_used);
    if (batched_bytes(image.size()) > rest.size()) {
      throw Error(
          fmt::format("an image of {} bytes: the images of its batch are much larger than "
                      "estimated; use a larger batch_size",
                      image.size()));
    }
    batch.bytes_used += append_image(rest, plan, image);
  }

  ImageCursor images_;
  const PipelineSpec spec_;
  std::uint64_t seed_;
  OnDamaged on_damaged_;
  BatchReads reads_;
};

class ImageDataset final : public Dataset {
 public:
  ImageDataset(std::shared_ptr<const RecordReader> reader, PipelineSpec spec, std::uint64_t seed,
               OnDamaged on_damaged, BatchReads reads)
      : reader_(std::move(reader)),
        spec_(std::move(spec)),
        seed_(seed),
        on_damaged_(on_damaged),
        reads_(reads),
        sample_bytes_(estimate_sample_bytes()) {}

  std::uint64_t size() const noexcept override { return reader_->size(); }
  std::size_t sample_bytes() const noexcept override { return sample_bytes_; }
  std::unique_ptr<Fetcher> open_fetcher() const override {
    return std::make_unique<ImageFetcher>(ImageCursor(*reader_, spec_), spec_, seed_, on_damaged_,
                                          reads_);
  }

 private:
  // Ignores damaged records: fetch() reports them.
  std::size_t estimate_sample_bytes() const {
    ImageCursor images(*reader_, spec_);
    const std::size_t all = reader_->size();
    const std::size_t inspected = std::min(all, kInspected);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < inspected; ++i) {
      try {
        largest = std::max(largest, images.size(images.read(i * all / inspected)));
      } catch (const FormatError&) {
      }
    }
    return batched_bytes(inspected < all ? 2 * largest : largest);
  }

  std::shared_ptr<const RecordReader> reader_;
  PipelineSpec spec_;
  std::uint64_t seed_;
  OnDamaged on_damaged_;
  BatchReads reads_;
  std::size_t sample_bytes_;
};

}  // namespace

std::unique_ptr<Dataset> make_image_dataset(std::shared_ptr<const RecordReader> reader,
                                            PipelineSpec spec, std::uint64_t seed,
                                            OnDamaged on_damaged, BatchReads reads) {
  return std::make_unique<ImageDataset>(std::move(reader), std::move(spec), seed, on_damaged,
                                        reads);
}

}  // namespace feedrate
