// How fast the dataset of a sweep is read, and how fast its samples are made.
#include <algorithm>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/limits/lazy.h"
#include "bench/limits/look_at.h"
#include "bench/limits/test_file.h"
#include "bench/limits/topics.h"
#include "core/random.h"
#include "decode/sample_pipeline.h"
#include "formats/registry.h"
#include "host/page_cache.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kRecords = 2000;  // So many are cached after the first seconds.

using SharedReader = std::shared_ptr<Lazy<RecordReader>>;

/// One thread's way through the records.
class Walk {
 public:
  Walk(const RecordReader& reader, int thread)
      : cursor_(reader.open_cursor()),
        records_(std::min<std::uint64_t>(reader.size(), kRecords)),
        random_(static_cast<std::uint64_t>(thread) + 1) {}

  [[nodiscard]] Record next() {
    index_ = random_.below(records_);
    return cursor_->read(index_);
  }
  [[nodiscard]] std::uint64_t index() const noexcept { return index_; }

 private:
  std::unique_ptr<RecordCursor> cursor_;
  std::uint64_t records_;
  RandomStream random_;
  std::uint64_t index_ = 0;
};

void finish(benchmark::State& state, const RecordReader& reader) {
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() != 0) return;
  const auto files = reader.files();
  state.SetLabel(why_not_warm(resident_share(some_of(files))));
}

void read_records(benchmark::State& state, const RecordReader& reader) {
  Walk walk(reader, state.thread_index());
  for (auto _ : state) benchmark::DoNotOptimize(look_at(walk.next().payload));
  finish(state, reader);
}

void make_samples(benchmark::State& state, const RecordReader& reader, const PipelineSpec& spec) {
  Walk walk(reader, state.thread_index());
  const auto pipeline = make_sample_pipeline(spec, 0);
  const SampleShape shape = pipeline->shape(walk.next());
  std::vector<std::byte> sample(shape.bytes());
  for (auto _ : state) {
    const Record record = walk.next();
    pipeline->make_sample(record, 0, walk.index(), shape, sample);
    benchmark::ClobberMemory();
  }
  finish(state, reader);
}

LimitBenchmark read_row(const SharedReader& reader, int threads) {
  LimitBenchmark one;
  one.row = {.name = "read",
             .threads = threads,
             .unit = "records/s",
             .note = "reading alone: the loader_limit of a pipeline that costs nothing"};
  one.body = [reader](benchmark::State& state) { read_records(state, reader->get()); };
  one.in_threads = true;
  return one;
}

LimitBenchmark sample_row(const SharedReader& reader, const PipelineSpec& pipeline, int threads) {
  LimitBenchmark one;
  one.row = {.name = "read and make samples",
             .threads = threads,
             .unit = "samples/s",
             .note = "read, decode, transform: what so many perfect workers deliver"};
  one.body = [reader, pipeline](benchmark::State& state) {
    make_samples(state, reader->get(), pipeline);
  };
  one.in_threads = true;
  return one;
}

}  // namespace

TopicPlan plan_own_data(const LimitsSetting& setting) {
  if (!setting.own) return {{}, "no sweep was named; `feedrate limits CONFIG` measures its data"};
  const std::filesystem::path path = setting.own->path;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return {{}, fmt::format("{}: is not there; `feedrate sweep` makes it", path.string())};
  }
  const auto reader = lazily<RecordReader>([path] { return open_dataset(path); });
  TopicPlan plan;
  plan.benchmarks.push_back(read_row(reader, 1));
  plan.benchmarks.push_back(sample_row(reader, setting.own->pipeline, 1));
  if (setting.cpus > 1) {
    plan.benchmarks.push_back(sample_row(reader, setting.own->pipeline, setting.cpus));
  }
  return plan;
}

}  // namespace feedrate
