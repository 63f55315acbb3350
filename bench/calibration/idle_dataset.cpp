// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/idle_dataset.h"

#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr std::uint64_t kRecords = 1'000'000;  // more than the steps of any probe

class IdleFetcher final : public Fetcher {
 public:
  IdleFetcher(const IdleDatasetSpec& spec, Clock& clock)
      : busy_(spec.busy), clock_(clock), sample_(spec.sample_bytes) {}

  void fetch(const BatchTask& task, Batch& batch) override {
    std::byte* out = batch.buffer->bytes().data();
    for (const std::uint64_t index : task.indices) {
      if (busy_ > Nanos(0)) clock_.spin_until(clock_.now() + busy_);
      std::memcpy(out, sample_.data(), sample_.size());
      out += sample_.size();
      batch.labels.push_back(static_cast<std::int64_t>(index));
    }
    batch.bytes_used = task.indices.size() * sample_.size();
  }

 private:
  Nanos busy_;
  Clock& clock_;
  std::vector<std::byte> sample_;
};

class IdleDataset final : public Dataset {
 public:
  IdleDataset(const IdleDatasetSpec& spec, Clock& clock) : spec_(spec), clock_(clock) {}
  std::uint64_t size() const noexcept override { return kRecords; }
  std::size_t sample_bytes() const noexcept override { return spec_.sample_bytes; }
  std::unique_ptr<Fetcher> open_fetcher() const override {
    return std::make_unique<IdleFetcher>(spec_, clock_);
  }

 private:
  IdleDatasetSpec spec_;
  Clock& clock_;
};

}  // namespace

std::unique_ptr<Dataset> make_idle_dataset(const IdleDatasetSpec& spec, Clock& clock) {
  return std::make_unique<IdleDataset>(spec, clock);
}

std::string idle_dataset_arguments(const IdleDatasetSpec& spec) {
  return fmt::format(R"({{"records": {}, "sample_bytes": {}, "busy_ns": {}}})", kRecords,
                     spec.sample_bytes, spec.busy.count());
}

}  // namespace feedrate
