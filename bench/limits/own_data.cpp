// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/limits/lazy.h"
#include "bench/limits/test_file.h"
#include "bench/limits/topics.h"
#include "core/host/page_cache.h"
#include "core/random.h"
#include "formats/registry.h"
#include "formats/remote/remote_path.h"
#include "formats/storage.h"
#include "loaders/buffer_pool.h"
#include "loaders/record_dataset.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kRecords = 2000;  // few enough to be cached after some seconds

constexpr std::size_t kBatch = 64;

using SharedReader = std::shared_ptr<Lazy<RecordReader>>;

using SharedDataset = std::shared_ptr<Lazy<Dataset>>;

class Walk {
 public:
  Walk(const RecordReader& reader, int thread)
      : records_(std::min<std::uint64_t>(reader.size(), kRecords)),
        random_(static_cast<std::uint64_t>(thread) + 1) {}

  [[nodiscard]] std::uint64_t next() { return random_.below(records_); }

 private:
  std::uint64_t records_;
  RandomStream random_;
};

void finish(benchmark::State& state, const RecordReader& reader) {
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() != 0) return;
  const auto files = reader.files();
  state.SetLabel(why_not_warm(resident_share(some_of(files))));
}

void read_own_records(benchmark::State& state, const RecordReader& reader) {
  Walk walk(reader, state.thread_index());
  const auto cursor = reader.open_cursor();
  for (auto _ : state) benchmark::DoNotOptimize(inspect(cursor->read(walk.next()).payload));
  finish(state, reader);
}

// Reads batches as a worker with batched_reads does.
void read_batches(benchmark::State& state, const RecordReader& reader) {
  Walk walk(reader, 0);
  const auto cursor = reader.open_cursor();
  std::vector<std::uint64_t> batch(kBatch);
  for (auto _ : state) {
    for (std::uint64_t& index : batch) index = walk.next();
    cursor->expect(batch);
    for (const std::uint64_t index : batch) {
      benchmark::DoNotOptimize(inspect(cursor->read(index).payload));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

void make_samples(benchmark::State& state, const RecordReader& reader, const Dataset& dataset) {
  Walk walk(reader, state.thread_index());
  const auto fetcher = dataset.open_fetcher();
  BufferPool buffers(dataset.sample_bytes());
  Batch batch;
  batch.buffer = buffers.acquire(dataset.sample_bytes());
  BatchTask task{.indices = {0}};
  for (auto _ : state) {
    task.indices.front() = walk.next();
    batch.labels.clear();
    fetcher->fetch(task, batch);
    benchmark::ClobberMemory();
  }
  finish(state, reader);
}

LimitBenchmark read_row(const SharedReader& reader, int threads) {
  return {.row = {.name = "read",
                  .threads = threads,
                  .unit = "records/s",
                  .note = "reading alone: the loader_limit of an empty pipeline"},
          .body = [reader](benchmark::State& state) { read_own_records(state, reader->get()); },
          .in_threads = true};
}

LimitBenchmark batch_row(const SharedReader& reader, int in_flight) {
  return {.row = {.name = fmt::format("read {} together", kBatch),
                  .threads = 1,
                  .unit = "records/s",
                  .note = fmt::format("batched_reads, {} requests in flight", in_flight)},
          .body = [reader](benchmark::State& state) { read_batches(state, reader->get()); }};
}

LimitBenchmark sample_row(const SharedReader& reader, const SharedDataset& dataset, int threads) {
  return {
      .row = {.name = "read and make samples",
              .threads = threads,
              .unit = "samples/s",
              .note = "read, decode, transform: upper bound for this number of workers"},
      .body = [reader, dataset](
                  benchmark::State& state) { make_samples(state, reader->get(), dataset->get()); },
      .in_threads = true};
}

}  // namespace

TopicPlan plan_own_data(const LimitsSetting& setting) {
  if (!setting.own)
    return {{}, "no configuration given; `feedrate limits CONFIG` measures its dataset"};
  const std::filesystem::path path = setting.own->path;
  if (!is_there(path)) {
    return {{}, fmt::format("{}: does not exist; `feedrate sweep` creates it", path.string())};
  }
  const ReadOptions reads = setting.own->reads;
  const auto reader = lazily<RecordReader>([path, reads] { return open_dataset(path, reads); });
  const auto dataset = lazily<Dataset>([path, reads, pipeline = setting.own->pipeline] {
    return make_record_dataset(open_dataset(path, reads), pipeline, 0);
  });
  TopicPlan plan;
  plan.benchmarks.push_back(read_row(reader, 1));
  if (is_remote(path.native())) {
    plan.benchmarks.push_back(batch_row(reader, reads.requests_in_flight));
  }
  plan.benchmarks.push_back(sample_row(reader, dataset, 1));
  if (setting.cpus > 1) plan.benchmarks.push_back(sample_row(reader, dataset, setting.cpus));
  return plan;
}

}  // namespace feedrate
