#include "bench/calibration/probes.h"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "bench/deadline.h"
#include "bench/engines/aggregate.h"
#include "bench/engines/cell_protocol.h"
#include "bench/engines/torch_engine.h"
#include "core/statistics.h"
#include "device/open.h"
#include "loaders/loader.h"

namespace feedrate {
namespace {

constexpr std::size_t kBatch = 32;
constexpr std::array<std::size_t, 2> kSampleBytes{3 * 32 * 32 * 4, 3 * 128 * 128 * 4};
// A worker with such samples is always behind, a trainer with such steps always is.
constexpr Nanos kBusySample = std::chrono::microseconds(150);
constexpr Nanos kSlowStep = std::chrono::milliseconds(20);
constexpr const char* kDevice = "sim:h200";  // Its copies take the same time in both engines.

struct Probe {
  std::string name;
  std::size_t size = 0;  // Of kSampleBytes.
  LoaderOptions loader;
  bool is_busy = false;
  bool trains = false;
  Excess* result = nullptr;
};

std::vector<Probe> probes_for(ProbeResults& results) {
  std::vector<Probe> probes;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}}) {
    probes.push_back({"no workers", size, {}, false, false, &results.inline_loader[size]});
    probes.push_back({"no workers, pinned",
                      size,
                      {.pin_memory = true},
                      false,
                      false,
                      &results.inline_pinned[size]});
    probes.push_back(
        {"1 busy worker", size, {.num_workers = 1}, true, false, &results.busy_worker[size]});
    probes.push_back(
        {"1 idle worker", size, {.num_workers = 1}, false, true, &results.waiting_batches[size]});
  }
  probes.push_back({"1 idle worker, pinned",
                    0,
                    {.num_workers = 1, .pin_memory = true},
                    false,
                    true,
                    &results.waiting_pinned});
  const auto many = static_cast<std::int64_t>(results.workers);
  probes.push_back({fmt::format("{} idle workers", many),
                    0,
                    {.num_workers = many},
                    false,
                    true,
                    &results.many_workers});
  probes.push_back({"1 persistent worker",
                    0,
                    {.num_workers = 1, .persistent_workers = true},
                    false,
                    true,
                    &results.persistent});
  return probes;
}

// The metrics that a place is read from, and what a start of the loader said of them.
using Series = std::map<std::string, std::vector<double>>;
constexpr const char* kMetrics[] = {"step_time_p50", "wait_time", "first_batch_time",
                                    "epoch_end_time"};

class Prober {
 public:
  Prober(const TorchRuntime& runtime, const ProbeOptions& options, Clock& clock)
      : runtime_(runtime), options_(options), clock_(clock), device_(open_device(kDevice, clock)) {
    measure_.steps = 40;
    measure_.epochs = 6;
    measure_.seed = options.seed;
    measure_.cell_timeout = options.timeout;
  }

  void run(ProbeResults& results, const std::stop_token& stop) {
    const std::vector<Probe> probes = probes_for(results);
    std::vector<Series> native(probes.size()), torch(probes.size());
    std::size_t done = 0;
    for (std::size_t repeat = 0; repeat < options_.repeats; ++repeat) {
      for (std::size_t i = 0; i < probes.size(); ++i) {
        if (options_.on_progress) {
          options_.on_progress(probes[i].name, done++, options_.repeats * probes.size());
        }
        const Deadline deadline(options_.timeout, stop);
        note(native[i], run_native(probes[i], deadline.token()));
        note(torch[i], run_torch(probes[i], deadline.token()));
      }
    }
    for (std::size_t i = 0; i < probes.size(); ++i) *probes[i].result = excess(torch[i], native[i]);
  }

 private:
  static IdleDatasetSpec dataset_of(const Probe& probe) {
    return {kSampleBytes[probe.size], probe.is_busy ? kBusySample : Nanos(0)};
  }

  CellSpec cell_of(const Probe& probe, EngineKind engine) const {
    CellSpec cell;
    cell.engine = engine;
    LoaderOptions loader = probe.loader;
    loader.batch_size = kBatch;
    loader.seed = options_.seed;
    cell.loader = resolve(loader);
    cell.device = kDevice;
    if (probe.trains) cell.burn = {kSlowStep, kBatch};
    return cell;
  }

  Repeat run_native(const Probe& probe, const std::stop_token& stop) {
    const CellSpec cell = cell_of(probe, EngineKind::kNative);
    const auto dataset = make_idle_dataset(dataset_of(probe), clock_);
    const auto loader = make_loader(*dataset, cell.loader, *device_);
    DeviceTrainerOptions transfer;
    transfer.batch_bytes = kBatch * dataset->sample_bytes();
    const auto trainer =
        probe.trains ? make_device_trainer(*device_, transfer, make_burn_work(kSlowStep, kBatch))
                     : make_discard_trainer(clock_);
    return summarize(measure(*loader, *trainer, clock_, protocol_of(cell, measure_), stop));
  }

  Repeat run_torch(const Probe& probe, const std::stop_token& stop) {
    TorchEngineOptions options;
    options.dataset.own = idle_dataset_in_python(dataset_of(probe));
    options.measure = measure_;
    return make_torch_engine(options, runtime_, clock_)
        ->run(cell_of(probe, EngineKind::kTorch), stop);
  }

  static void note(Series& series, const Repeat& repeat) {
    for (const char* metric : kMetrics) {
      if (const double* value = find_metric(repeat.metrics, metric)) {
        series[metric].push_back(*value);
      }
    }
  }

  static Excess excess(Series& torch, Series& native) {
    const auto of = [&](const char* metric) {
      return torch[metric].empty() ? 0.0 : median(torch[metric]) - median(native[metric]);
    };
    return {.step = of("step_time_p50"),
            .wait = of("wait_time"),
            .first_batch = of("first_batch_time"),
            .epoch_end = of("epoch_end_time")};
  }

  const TorchRuntime& runtime_;
  const ProbeOptions& options_;
  Clock& clock_;
  std::unique_ptr<Device> device_;
  MeasureConfig measure_;
};

}  // namespace

OwnDataset idle_dataset_in_python(const IdleDatasetSpec& spec) {
  return {.factory = "feedrate_torch.idle:make_dataset",
          .arguments_json = idle_dataset_arguments(spec),
          .collate_fn = {},
          .worker_init_fn = {},
          .folders = {}};
}

ProbeResults run_probes(const TorchRuntime& runtime, const ProbeOptions& options, Clock& clock,
                        const std::stop_token& stop) {
  ProbeResults results;
  for (std::size_t size = 0; size < 2; ++size) {
    results.batch_bytes[size] = kBatch * kSampleBytes[size];
  }
  Prober(runtime, options, clock).run(results, stop);
  return results;
}

}  // namespace feedrate
