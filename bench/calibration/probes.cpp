// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/probes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/calibration/quiet_pairs.h"
#include "bench/calibration/settled.h"
#include "bench/engines/protocol.h"
#include "bench/engines/torch/torch_engine.h"
#include "bench/plan/cell_protocol.h"
#include "core/host/deadline.h"
#include "device/open.h"
#include "loaders/loader.h"

namespace feedrate {
namespace {

// A worker with such samples, and a trainer with such steps, is always behind.
constexpr Nanos kBusySample = std::chrono::microseconds(150);
constexpr Nanos kSlowStep = std::chrono::milliseconds(20);
constexpr const char* kDevice = "sim:h200";  // its copies take the same time in both engines

struct Probe {
  std::string name;
  std::size_t size = 0;  // Index into kProbeSampleBytes.
  LoaderOptions loader;
  bool is_busy = false;
  bool trains = false;
  Excess* result = nullptr;
  std::size_t repeats = 0;                    // Number of undisturbed repeats.
  std::array<PairedFigures, 4> figures = {};  // Indexed like kFigures.
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

// Start and end of workers need less precision: they scatter more, and matter once per epoch.
struct Figure {
  const char* metric;
  const char* name;
  double Excess::*excess;
  double share;
};

constexpr Figure kFigures[] = {{"step_time_p50", "step", &Excess::step, 0.15},
                               {"wait_time", "wait", &Excess::wait, 0.15},
                               {"first_batch_time", "first batch", &Excess::first_batch, 0.5},
                               {"epoch_end_time", "end of an epoch", &Excess::epoch_end, 0.5}};

// Whether fit_costs() reads `figure` of `probe`.
bool is_read(const Probe& probe, const Figure& figure) {
  if (!probe.trains) return figure.excess == &Excess::step;
  const bool is_wait = figure.excess == &Excess::wait;
  if (figure.excess == &Excess::step) return false;
  return probe.size > 0 || probe.loader.pin_memory ? is_wait : true;
}

class IdleEngine final : public CellEngine {
 public:
  IdleEngine(const IdleDatasetSpec& spec, const MeasureConfig& measure, Device& device,
             Clock& clock)
      : dataset_(make_idle_dataset(spec, clock)),
        measure_(measure),
        device_(device),
        clock_(clock) {}

  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    const auto loader = make_loader(*dataset_, cell.loader, device_);
    DeviceTrainerOptions transfer;
    transfer.batch_bytes = kProbeBatch * dataset_->sample_bytes();
    const auto trainer =
        cell.burn ? make_device_trainer(device_, transfer, make_burn_work(kSlowStep, kProbeBatch))
                  : make_discard_trainer(clock_);
    return summarize(measure(*loader, *trainer, clock_, protocol_of(cell, measure_), stop));
  }

 private:
  std::unique_ptr<Dataset> dataset_;
  const MeasureConfig& measure_;
  Device& device_;
  Clock& clock_;
};

class Prober {
 public:
  Prober(const TorchRuntime& runtime, const ProbeOptions& options, Clock& clock)
      : runtime_(runtime), options_(options), clock_(clock), device_(open_device(kDevice, clock)) {
    measure_.steps = 40;
    measure_.epochs = 3;
    measure_.seed = options.seed;
    measure_.cell_timeout = options.timeout;
    // Off as in the native engine; foreign load is recorded around each start.
    measure_.monitor = false;
  }

  // Runs all probes once with each engine, native first, then repeats them; after options_.repeats
  // only the probes that have not settled.
  void run(ProbeReport& report, const std::stop_token& stop) {
    std::vector<Probe> probes = probes_for(report.results);
    for (std::size_t repeat = 0; repeat < most_repeats(options_.repeats); ++repeat) {
      for (Probe& probe : probes) {
        if (has_settled(probe)) continue;
        if (options_.on_progress) options_.on_progress(repeat, probe.name);
        const Deadline deadline(options_.timeout, stop);
        const auto starts =
            pairs_.run(engines_of(probe),
                       {cell_of(probe, EngineKind::kNative), cell_of(probe, EngineKind::kTorch)},
                       deadline.token());
        if (starts) add_pair(probe, *starts);
      }
    }
    for (const Probe& probe : probes) add_figures(probe, report);
  }

 private:
  static IdleDatasetSpec dataset_of(const Probe& probe) {
    return {kProbeSampleBytes[probe.size], probe.is_busy ? kBusySample : Nanos(0)};
  }

  CellSpec cell_of(const Probe& probe, EngineKind engine) const {
    CellSpec cell;
    cell.engine = engine;
    LoaderOptions loader = probe.loader;
    loader.batch_size = kProbeBatch;
    loader.seed = options_.seed;
    cell.loader = resolve(loader);
    cell.device = kDevice;
    if (probe.trains) cell.burn = {kSlowStep, kProbeBatch};
    return cell;
  }

  const OfBoth<std::unique_ptr<CellEngine>>& engines_of(const Probe& probe) {
    OfBoth<std::unique_ptr<CellEngine>>& engines = engines_[{probe.size, probe.is_busy}];
    if (engines.native != nullptr) return engines;
    TorchEngineOptions torch;
    torch.dataset.own = {idle_dataset_in_python(dataset_of(probe))};
    torch.measure = measure_;
    engines.torch =
        make_watched_engine(make_torch_engine(torch, runtime_, clock_), options_.timeout, clock_);
    engines.native = make_watched_engine(
        std::make_unique<IdleEngine>(dataset_of(probe), measure_, *device_, clock_),
        options_.timeout, clock_);
    return engines;
  }

  static void add_pair(Probe& probe, const OfBoth<Repeat>& starts) {
    ++probe.repeats;
    for (std::size_t i = 0; i < std::size(kFigures); ++i) {
      const double* const a = find_metric(starts.torch.metrics, kFigures[i].metric);
      const double* const b = find_metric(starts.native.metrics, kFigures[i].metric);
      if (a != nullptr && b != nullptr) probe.figures[i].add(*a, *b);
    }
  }

  bool has_settled(const Probe& probe, std::size_t figure) const {
    return probe.repeats >= options_.repeats &&
           is_settled(difference_of(probe.figures[figure]), kFigures[figure].share,
                      options_.negligible);
  }

  bool has_settled(const Probe& probe) const {
    for (std::size_t i = 0; i < std::size(kFigures); ++i) {
      if (is_read(probe, kFigures[i]) && !has_settled(probe, i)) return false;
    }
    return true;
  }

  void add_figures(const Probe& probe, ProbeReport& report) const {
    for (std::size_t i = 0; i < std::size(kFigures); ++i) {
      const PairedDifference difference = difference_of(probe.figures[i]);
      probe.result->*kFigures[i].excess = difference.value;
      if (!is_read(probe, kFigures[i])) continue;
      const std::string text =
          describe(fmt::format("{}, {} B a sample, {}", probe.name, kProbeSampleBytes[probe.size],
                               kFigures[i].name),
                   difference);
      report.figures.push_back(text);
      if (!has_settled(probe, i)) report.unsettled.push_back(text);
    }
  }

  const TorchRuntime& runtime_;
  const ProbeOptions& options_;
  Clock& clock_;
  std::unique_ptr<Device> device_;
  MeasureConfig measure_;
  // Indexed by dataset: each torch engine has a Python process that has imported torch.
  std::map<std::pair<std::size_t, bool>, OfBoth<std::unique_ptr<CellEngine>>> engines_;
  QuietPairs pairs_;
};

}  // namespace

OwnDataset idle_dataset_in_python(const IdleDatasetSpec& spec) {
  OwnDataset dataset;
  dataset.factory = "feedrate.idle:make_dataset";
  dataset.arguments_json = idle_dataset_arguments(spec);
  return dataset;
}

ProbeReport run_probes(const TorchRuntime& runtime, const ProbeOptions& options, Clock& clock,
                       const std::stop_token& stop) {
  ProbeReport report;
  for (std::size_t size = 0; size < 2; ++size) {
    report.results.batch_bytes[size] = kProbeBatch * kProbeSampleBytes[size];
  }
  Prober(runtime, options, clock).run(report, stop);
  return report;
}

}  // namespace feedrate
