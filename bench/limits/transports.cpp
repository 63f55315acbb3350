// What a batch costs on its way from a worker process to its parent, by the loader itself.
#include <cstring>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/limits/look_at.h"
#include "bench/limits/topics.h"
#include "device/open.h"
#include "loaders/loader.h"

namespace feedrate {
namespace {

constexpr const char* kDevice = "sim:h200";  // Pageable memory only: any will do.
constexpr std::size_t kWarmUp = 4;           // Batches, until all slots have been touched.

struct BatchKind {
  std::size_t samples;
  std::size_t sample_bytes;
  [[nodiscard]] std::size_t bytes() const noexcept { return samples * sample_bytes; }
};

constexpr BatchKind kBatches[] = {
    {128, 3 * 32 * 32 * 4}, {16, 3 * 224 * 224 * 4}, {64, 3 * 224 * 224 * 4}};

// Samples that are there already: what is left is to collate them and to hand them over.
class ReadySamples final : public Dataset {
 public:
  explicit ReadySamples(const BatchKind& kind) : kind_(kind) {}
  std::uint64_t size() const noexcept override { return kind_.samples * kBatchesOfEpoch; }
  std::size_t sample_bytes() const noexcept override { return kind_.sample_bytes; }
  std::unique_ptr<Fetcher> open_fetcher() const override {
    return std::make_unique<CopyingFetcher>(kind_.sample_bytes);
  }

 private:
  static constexpr std::uint64_t kBatchesOfEpoch = 64;

  class CopyingFetcher final : public Fetcher {
   public:
    explicit CopyingFetcher(std::size_t bytes) : sample_(bytes, std::byte{1}) {}
    void fetch(const BatchTask& task, Batch& batch) override {
      std::byte* out = batch.buffer->bytes().data();
      for (std::size_t i = 0; i < task.indices.size(); ++i, out += sample_.size()) {
        std::memcpy(out, sample_.data(), sample_.size());
      }
      batch.labels.assign(task.indices.size(), 0);
      batch.bytes_used = task.indices.size() * sample_.size();
    }

   private:
    std::vector<std::byte> sample_;
  };

  BatchKind kind_;
};

ResolvedLoaderOptions options_of(const BatchKind& kind, Transport transport) {
  LoaderOptions options;
  options.batch_size = static_cast<std::int64_t>(kind.samples);
  options.num_workers = 1;
  options.transport = transport;
  return resolve(options);
}

void receive(benchmark::State& state, const BatchKind& kind, Transport transport,
             const std::stop_token& stop) {
  SteadyClock clock;
  const auto device = open_device(kDevice, clock);
  const ReadySamples dataset(kind);
  const auto loader = make_loader(dataset, options_of(kind, transport), *device);
  loader->start_epoch(0, static_cast<std::size_t>(state.max_iterations) + kWarmUp, stop);
  std::optional<Batch> batch;  // Held until the next one is there, as a loop over a loader does.
  for (std::size_t i = 0; i < kWarmUp; ++i) batch = loader->next(stop);
  for (auto _ : state) {
    batch = loader->next(stop);
    benchmark::DoNotOptimize(look_at(batch->bytes()));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kind.bytes()));
}

struct Way {
  const char* name;
  Transport transport;
  const char* note;
};

constexpr Way kWays[] = {
    {"fresh", Transport::kFresh, "a new segment a batch: PyTorch's file_descriptor"},
    {"file_system", Transport::kFileSystem, "a new named segment a batch: PyTorch's file_system"},
    {"ring", Transport::kRing, "segments used again: what PyTorch could do"},
};

}  // namespace

TopicPlan plan_transports(const LimitsSetting& setting) {
  TopicPlan plan;
  for (const Way& way : kWays) {
    for (const BatchKind& kind : kBatches) {
      plan.benchmarks.push_back(
          {{.name = way.name, .size = kind.bytes(), .unit = "B/s", .note = way.note},
           [way, kind, stop = setting.stop](benchmark::State& state) {
             receive(state, kind, way.transport, stop);
           }});
    }
  }
  return plan;
}

}  // namespace feedrate
