// SPDX-License-Identifier: Apache-2.0
// A dataset of any format may be opened before the workers are forked, and used concurrently.
#include <algorithm>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "formats/registry.h"
#include "loaders/sampler.h"
#include "loaders/worker_pool.h"
#include "tests/formats/sample_records.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {

namespace {

/// A format and its read options.
struct ForkedCase {
  Format format;
  ReadOptions reads = {};

  std::string name() const {
    std::string name(format.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return reads.hdf5 == Hdf5Reads::kDirect ? name + "_direct" : name;
  }
};

void PrintTo(const ForkedCase& row, std::ostream* out) { *out << row.name(); }

std::vector<ForkedCase> cases() {
  std::vector<ForkedCase> all;
  for (const Format& format : formats()) {
    all.push_back({format});
    if (format.name == "hdf5-contiguous") all.push_back({format, {.hdf5 = Hdf5Reads::kDirect}});
  }
  return all;
}

constexpr std::size_t kForkedRecords = 60;
constexpr std::size_t kWorkers = 3;
constexpr std::size_t kBatch = 4;

std::uint64_t digest(const Record& record) {
  return std::hash<std::string_view>{}(text_of(record.payload)) +
         31 * std::hash<std::string_view>{}(record.key);
}

// Its samples are digests of the stored records.
class DigestDataset final : public Dataset {
 public:
  explicit DigestDataset(const RecordReader& reader) : reader_(reader) {}
  std::uint64_t size() const noexcept override { return reader_.size(); }
  std::size_t sample_bytes() const noexcept override { return sizeof(std::uint64_t); }
  std::unique_ptr<Fetcher> open_fetcher() const override {
    return std::make_unique<DigestFetcher>(reader_);
  }

 private:
  class DigestFetcher final : public Fetcher {
   public:
    explicit DigestFetcher(const RecordReader& reader) : cursor_(reader.open_cursor()) {}
    void fetch(const BatchTask& task, Batch& batch) override {
      std::byte* out = batch.buffer->bytes().data();
      for (const std::uint64_t index : task.indices) {
        const Record record = cursor_->read(index);
        const std::uint64_t sample = digest(record);
        std::memcpy(out, &sample, sizeof(sample));
        out += sizeof(sample);
        batch.labels.push_back(record.label);
      }
      batch.bytes_used = task.indices.size() * sizeof(std::uint64_t);
    }

   private:
    std::unique_ptr<RecordCursor> cursor_;
  };

  const RecordReader& reader_;
};

class ForkedReaders : public ::testing::TestWithParam<ForkedCase> {
 protected:
  void SetUp() override {
    const Format& format = GetParam().format;
    std::vector<OwnedRecord> records;
    for (std::size_t i = 0; i < kForkedRecords; ++i) {
      const auto label = static_cast<std::int64_t>(i % 3);
      records.push_back(sample_record(
          format.payload, "class" + std::to_string(label) + "/" + std::to_string(i), label, i));
    }
    const auto path = folder_ / ("set" + std::string(format.suffix));
    write_dataset(format, path, records, options_for(records, {"class0", "class1", "class2"}));
    reader_ = open_dataset(path, GetParam().reads);
  }

  ResolvedLoaderOptions options() const {
    ResolvedLoaderOptions options;
    options.batch_size = kBatch;
    options.num_workers = kWorkers;
    options.prefetch_factor = 2;
    return options;
  }

  // `parents` reads in this process while the workers read in theirs.
  void expect_same_records_from_workers(RecordCursor& parents) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> expected;
    for (std::size_t i = 0; i < reader_->size(); ++i) {
      const Record record = parents.read(i);
      expected.emplace_back(digest(record), record.label);
    }
    const DigestDataset dataset(*reader_);
    SteadyClock clock;
    const auto pool = make_process_workers(dataset, options(), clock);
    pool->start();
    BatchSampler sampler(
        {.records = kForkedRecords, .batch_size = kBatch, .shuffle = true, .seed = 5});
    constexpr std::size_t kTasks = 5 * kForkedRecords / kBatch;
    sampler.start(0, kTasks);
    std::vector<BatchTask> tasks;
    while (const auto task = sampler.next()) {
      pool->send(task->sequence % kWorkers, *task);
      tasks.push_back(*task);
    }
    for (std::size_t i = 0; i < kTasks; ++i) {
      EXPECT_EQ(digest(parents.read(i % kForkedRecords)), expected[i % kForkedRecords].first);
      auto result = std::get<BatchResult>(pool->receive({}, Nanos(0)).value());
      const Batch& batch = std::get<Batch>(result.outcome);
      for (std::size_t k = 0; k < batch.samples(); ++k) {
        std::uint64_t sample = 0;
        std::memcpy(&sample, batch.bytes().data() + k * sizeof(sample), sizeof(sample));
        EXPECT_EQ(std::pair(sample, batch.labels[k]), expected[tasks[result.sequence].indices[k]]);
      }
    }
  }

  TempFolder folder_;
  std::shared_ptr<const RecordReader> reader_;
};

TEST_P(ForkedReaders, give_workers_the_same_records_while_the_parent_reads_too) {
  const auto cursor = reader_->open_cursor();
  static_cast<void>(cursor->read(kForkedRecords / 2));
  expect_same_records_from_workers(*cursor);
}

INSTANTIATE_TEST_SUITE_P(formats, ForkedReaders, ::testing::ValuesIn(cases()),
                         [](const auto& row) { return row.param.name(); });

}  // namespace
}  // namespace feedrate::testing
