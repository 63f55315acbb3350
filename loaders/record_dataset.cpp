// SPDX-License-Identifier: Apache-2.0
#include "loaders/record_dataset.h"

#include <algorithm>
#include <utility>

#include "core/nvtx.h"
#include "loaders/stage_timer.h"

namespace feedrate {
namespace {

// Adds the record's location to errors of the pipeline, which does not know it.
template <typename Step>
auto with_location(const RecordReader& reader, std::uint64_t index, Step step) {
  try {
    return step();
  } catch (const FormatError& error) {
    DataLocation location = reader.locate(index);
    location.record = index;
    throw FormatError(location, error.what());
  }
}

class RecordFetcher final : public Fetcher {
 public:
  RecordFetcher(const RecordReader& reader, const PipelineSpec& pipeline, std::uint64_t seed,
                SampleShape shape, OnDamaged on_damaged, BatchReads reads)
      : reader_(reader),
        cursor_(reader.open_cursor()),
        pipeline_(make_sample_pipeline(pipeline, seed)),
        shape_(shape),
        on_damaged_(on_damaged),
        reads_(reads) {}

  void fetch(const BatchTask& task, Batch& batch) override {
    const NvtxRange range("fetch", task.sequence);
    const StageTimes before = pipeline_->times();
    if (reads_ == BatchReads::kTogether) expect(task, batch);
    const std::size_t stride = shape_.bytes();
    MutableBytes out = batch.buffer->bytes();
    for (const std::uint64_t index : task.indices) {
      batch.labels.push_back(fetch_sample(task.epoch, index, out.first(stride), batch));
      out = out.subspan(stride);
    }
    batch.bytes_used = stride * task.indices.size();
    const StageTimes after = pipeline_->times();
    batch.times.decode += after.decode - before.decode;
    batch.times.transform += after.transform - before.transform;
  }

 private:
  void expect(const BatchTask& task, Batch& batch) {
    const NvtxRange range("expect", task.sequence);
    const StageTimer timer(batch.times.read);
    cursor_->expect(task.indices);
  }

  std::int64_t fetch_sample(std::uint64_t epoch, std::uint64_t index, MutableBytes out,
                            Batch& batch) {
    try {
      const Record record = read(index, batch);
      with_location(reader_, index,
                    [&] { pipeline_->make_sample(record, epoch, index, shape_, out); });
      return record.label;
    } catch (const FormatError& error) {
      if (on_damaged_ == OnDamaged::kThrow) throw;
      batch.damaged.emplace_back(error.what());
      std::fill(out.begin(), out.end(), std::byte{0});
      return kNoLabel;
    }
  }

  Record read(std::uint64_t index, Batch& batch) {
    const NvtxRange range("read", index);
    const StageTimer timer(batch.times.read);
    return cursor_->read(index);
  }

  const RecordReader& reader_;
  std::unique_ptr<RecordCursor> cursor_;
  std::unique_ptr<SamplePipeline> pipeline_;
  SampleShape shape_;
  OnDamaged on_damaged_;
  BatchReads reads_;
};

class RecordDataset final : public Dataset {
 public:
  RecordDataset(std::shared_ptr<const RecordReader> reader, PipelineSpec pipeline,
                std::uint64_t seed, OnDamaged on_damaged, BatchReads reads)
      : reader_(std::move(reader)),
        pipeline_(std::move(pipeline)),
        seed_(seed),
        on_damaged_(on_damaged),
        reads_(reads),
        shape_(first_shape()) {}

  std::uint64_t size() const noexcept override { return reader_->size(); }
  std::size_t sample_bytes() const noexcept override { return shape_.bytes(); }
  std::unique_ptr<Fetcher> open_fetcher() const override {
    return std::make_unique<RecordFetcher>(*reader_, pipeline_, seed_, shape_, on_damaged_, reads_);
  }

 private:
  // With damaged records allowed, the first readable record decides.
  SampleShape first_shape() const {
    const auto cursor = reader_->open_cursor();
    const auto pipeline = make_sample_pipeline(pipeline_, seed_);
    for (std::size_t index = 0;; ++index) {
      try {
        const Record record = cursor->read(index);
        return with_location(*reader_, index, [&] { return pipeline->shape(record); });
      } catch (const FormatError&) {
        if (on_damaged_ == OnDamaged::kThrow || index + 1 == reader_->size()) throw;
      }
    }
  }

  std::shared_ptr<const RecordReader> reader_;
  PipelineSpec pipeline_;
  std::uint64_t seed_;
  OnDamaged on_damaged_;
  BatchReads reads_;
  SampleShape shape_;
};

}  // namespace

std::unique_ptr<Dataset> make_record_dataset(std::shared_ptr<const RecordReader> reader,
                                             PipelineSpec pipeline, std::uint64_t seed,
                                             OnDamaged on_damaged, BatchReads reads) {
  check(pipeline);
  if (pipeline.tokens) {
    return make_sequence_dataset(std::move(reader), *pipeline.tokens, on_damaged, reads);
  }
  if (pipeline.on_device != OnDevice::kNothing) {
    return make_image_dataset(std::move(reader), std::move(pipeline), seed, on_damaged, reads);
  }
  return std::make_unique<RecordDataset>(std::move(reader), std::move(pipeline), seed, on_damaged,
                                         reads);
}

}  // namespace feedrate
