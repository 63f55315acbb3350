// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/nvtx.h"
#include "loaders/record_dataset.h"
#include "loaders/stage_timer.h"

namespace feedrate {
namespace {

class SequenceCursor {
 public:
  SequenceCursor(const RecordReader& reader, std::size_t max_length, OnDamaged on_damaged)
      : reader_(reader),
        cursor_(reader.open_cursor()),
        max_bytes_(max_length * kTokenBytes),
        on_damaged_(on_damaged) {}

  void expect(std::span<const std::uint64_t> indices) { cursor_->expect(indices); }

  // The truncated sequence, valid until the next call. With damaged records allowed, returns an
  // empty record for a damaged one and appends its error to `damaged`.
  Record read(std::uint64_t index, std::vector<std::string>& damaged) {
    try {
      Record record = cursor_->read(index);
      require_tokens(record, index);
      record.payload = record.payload.first(std::min(record.payload.size(), max_bytes_));
      return record;
    } catch (const FormatError& error) {
      if (on_damaged_ == OnDamaged::kThrow) throw;
      damaged.emplace_back(error.what());
      return {};
    }
  }

 private:
  void require_tokens(const Record& record, std::uint64_t index) const {
    const std::size_t size = record.payload.size();
    if (record.kind == Payload::kBytes && size > 0 && size % kTokenBytes == 0) return;
    DataLocation location = reader_.locate(index);
    location.record = index;
    throw FormatError(
        location,
        record.kind == Payload::kBytes
            ? fmt::format(
                  "{} bytes are not a sequence of tokens: must be at least one token of {} bytes",
                  size, kTokenBytes)
            : "holds an image; must be opaque bytes for tokens");
  }

  const RecordReader& reader_;
  std::unique_ptr<RecordCursor> cursor_;
  std::size_t max_bytes_;
  OnDamaged on_damaged_;
};

class SequenceFetcher final : public Fetcher {
 public:
  SequenceFetcher(SequenceCursor sequences, const TokenSequences& spec, BatchReads reads)
      : sequences_(std::move(sequences)), spec_(spec), reads_(reads) {}

  void fetch(const BatchTask& task, Batch& batch) override {
    const NvtxRange range("fetch", task.sequence);
    sizes_.clear();
    if (reads_ == BatchReads::kTogether) expect(task, batch);
    std::size_t end = 0;
    for (const std::uint64_t index : task.indices) end += append(index, end, batch);
    pad(end, batch);
  }

 private:
  void expect(const BatchTask& task, Batch& batch) {
    const NvtxRange range("expect", task.sequence);
    const StageTimer timer(batch.times.read);
    sequences_.expect(task.indices);
  }

  // Appends the sequence without padding; returns its size in bytes.
  std::size_t append(std::uint64_t index, std::size_t begin, Batch& batch) {
    const Record record = read(index, batch);
    const StageTimer timer(batch.times.transform);
    const MutableBytes out = batch.buffer->bytes().subspan(begin);
    std::copy(record.payload.begin(), record.payload.end(), out.begin());
    sizes_.push_back(record.payload.size());
    batch.labels.push_back(record.label);
    return record.payload.size();
  }

  Record read(std::uint64_t index, Batch& batch) {
    const NvtxRange range("read", index);
    const StageTimer timer(batch.times.read);
    return sequences_.read(index, batch.damaged);
  }

  // Moves the sequences to their rows, whose length is known only now. Goes from the last row to
  // the first: no row begins before its sequence, so that no move overwrites a sequence not moved
  // yet.
  void pad(std::size_t end, Batch& batch) {
    const NvtxRange range("pad", batch.sequence);
    const StageTimer timer(batch.times.transform);
    std::byte* const first = batch.buffer->bytes().data();
    const std::size_t row_bytes = this->row_bytes();
    batch.bytes_used = row_bytes * sizes_.size();
    batch.tokens = {end / kTokenBytes, batch.bytes_used / kTokenBytes};
    for (std::size_t row = sizes_.size(); row-- > 0;) {
      const std::size_t size = sizes_[row];
      std::byte* const begin = first + row * row_bytes;
      end -= size;
      std::memmove(begin, first + end, size);
      std::memset(begin + size, 0, row_bytes - size);
    }
  }

  [[nodiscard]] std::size_t row_bytes() const {
    if (spec_.padding == Padding::kMaxLength) return spec_.max_length * kTokenBytes;
    std::size_t longest = kTokenBytes;  // At least one column: empty batches cannot be copied.
    for (const std::size_t size : sizes_) longest = std::max(longest, size);
    return longest;
  }

  SequenceCursor sequences_;
  TokenSequences spec_;
  BatchReads reads_;
  std::vector<std::size_t> sizes_;  // Bytes of each sequence of the batch.
};

class SequenceDataset final : public Dataset {
 public:
  SequenceDataset(std::shared_ptr<const RecordReader> reader, const TokenSequences& spec,
                  OnDamaged on_damaged, BatchReads reads)
      : reader_(std::move(reader)), spec_(spec), on_damaged_(on_damaged), reads_(reads) {}

  std::uint64_t size() const noexcept override { return reader_->size(); }
  std::size_t sample_bytes() const noexcept override { return spec_.max_length * kTokenBytes; }

  std::unique_ptr<Fetcher> open_fetcher() const override {
    return std::make_unique<SequenceFetcher>(open_cursor(), spec_, reads_);
  }

  std::vector<std::uint32_t> lengths(const std::stop_token& stop) const override {
    const std::lock_guard lock(mutex_);
    if (lengths_.empty()) lengths_ = read_lengths(stop);
    return lengths_;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> read_lengths(const std::stop_token& stop) const {
    SequenceCursor sequences = open_cursor();
    std::vector<std::string> damaged;  // Dropped: fetch() reports them.
    std::vector<std::uint32_t> lengths(reader_->size());
    for (std::size_t index = 0; index < lengths.size(); ++index) {
      if (stop.stop_requested()) throw Cancelled();
      const std::size_t size = sequences.read(index, damaged).payload.size();
      lengths[index] = static_cast<std::uint32_t>(size / kTokenBytes);
    }
    return lengths;
  }

  [[nodiscard]] SequenceCursor open_cursor() const {
    return {*reader_, spec_.max_length, on_damaged_};
  }

  std::shared_ptr<const RecordReader> reader_;
  TokenSequences spec_;
  OnDamaged on_damaged_;
  BatchReads reads_;
  mutable std::mutex mutex_;
  mutable std::vector<std::uint32_t> lengths_;  // Guarded by mutex_; empty until read.
};

}  // namespace

std::unique_ptr<Dataset> make_sequence_dataset(std::shared_ptr<const RecordReader> reader,
                                               const TokenSequences& spec, OnDamaged on_damaged,
                                               BatchReads reads) {
  return std::make_unique<SequenceDataset>(std::move(reader), spec, on_damaged, reads);
}

}  // namespace feedrate
