// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/native_engine.h"

#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

#include "analysis/aggregate.h"
#include "bench/engines/cache_state.h"
#include "bench/engines/cell_trainer.h"
#include "bench/engines/observers/observers.h"
#include "bench/engines/protocol.h"
#include "bench/engines/ranked/synchronized_trainer.h"
#include "bench/plan/cell_protocol.h"
#include "bench/plan/named_device.h"
#include "core/error.h"
#include "core/host/page_cache.h"
#include "device/lost.h"
#include "formats/registry.h"
#include "formats/remote/object_client.h"
#include "loaders/loader.h"
#include "loaders/record_dataset.h"
#include "loaders/sampler.h"

namespace feedrate {
namespace {

struct OpenDataset {
  std::shared_ptr<const RecordReader> reader;
  std::unique_ptr<Dataset> dataset;
};

// Catalog name, read options, and the settings of the pipeline.
using DatasetKey =
    std::tuple<std::string, ReadOptions, SampleDtype, Decoding, OnDevice, std::optional<Padding>>;

class NativeEngine final : public CellEngine {
 public:
  NativeEngine(NativeEngineOptions options, Clock& clock)
      : options_(std::move(options)),
        observer_options_{options_.measure.monitor, options_.measure.profile, options_.instruments,
                          options_.on_profile},
        monitors_(options_.instruments),
        clock_(clock) {}

  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    const RequestDeadline deadline(stop);  // Without workers this thread sends the requests.
    try {
      return run_on_device(cell, stop);
    } catch (const DeviceLost&) {
      forget_device(cell);
      throw;
    }
  }

  void release(const std::string& device) override {
    const auto closed = std::erase_if(devices_, [&](const auto& open) {
      return open.first == device && open.second && open.second->info().one_process;
    });
    if (closed > 0) release_device(device);
  }

 private:
  Repeat run_on_device(const CellSpec& cell, const std::stop_token& stop) {
    const OpenDataset& data = dataset_in_cache(cell, stop);
    Device& device = this->device(cell);
    check_epoch_is_not_empty(*data.dataset, cell.loader);
    // A PyTorch sampler reads the lengths before the loader exists.
    if (cell.loader.group_by_length) static_cast<void>(data.dataset->lengths(stop));
    const std::unique_ptr<StartObserver> observer =
        make_observers(context_of(cell, data, device), observer_options_, monitors_);
    observer->before_loader();
    StartReport report = measure_loader(cell, *data.dataset, device, *observer, stop);
    observer->after_loader(report);
    for (const std::string& warning : report.warnings) note(warning);
    return std::move(report.repeat);
  }

  StartContext context_of(const CellSpec& cell, const OpenDataset& data, Device& device) {
    const SweepDataset& prepared = this->prepared(cell);
    StartContext start{.cell = cell, .process = ::getpid(), .device = &device};
    start.device_info = [&device] { return device.info(); };
    start.dataset = prepared.path;
    start.files = some_of(data.reader->files());
    if (prepared.staged) start.staging_time = prepared.staged->seconds;
    if (cell.gemms) start.gemm_peak = [this, &cell, &device] { return peak(cell, device); };
    return start;
  }

  // The loader and its workers end before it returns.
  StartReport measure_loader(const CellSpec& cell, const Dataset& dataset, Device& device,
                             StartObserver& observer, const std::stop_token& stop) {
    const std::unique_ptr<Loader> loader = make_cell_loader(cell, dataset, device);
    const std::unique_ptr<Trainer> trainer =
        make_cell_trainer(cell, options_.pipeline, dataset, device);
    StepBarrier* const barrier = this->barrier();
    std::optional<SynchronizedTrainer> synchronized;
    if (barrier) synchronized.emplace(*trainer, *barrier, device.clock());
    Measurement measurement =
        measure(*loader, synchronized ? *synchronized : *trainer, device.clock(),
                protocol_of(cell, options_.measure), stop, events_of(observer, barrier));
    observer.device_idle();
    StartReport report = report_of(std::move(measurement), *loader, device);
    report.samples_dropped = dropped_samples(dataset, cell.loader);
    if (cell.job.all_reduce_bytes > 0 && synchronized) {
      report.add("all_reduce_time", synchronized->all_reduce_time(report.measurement.kept.size()));
    }
    return report;
  }

  std::unique_ptr<Loader> make_cell_loader(const CellSpec& cell, const Dataset& dataset,
                                           Device& device) const {
    return cell.cached_loader ? make_cached_loader(dataset, cell.loader, device)
                              : make_loader(dataset, options_of(cell), device);
  }

  static ProtocolEvents events_of(StartObserver& observer, StepBarrier* barrier) {
    ProtocolEvents events;
    if (barrier) events.on_epoch = [barrier] { barrier->begin_epoch(); };
    events.on_warm_up = [&observer] { observer.begin_window(); };
    events.on_window_over = [&observer] { observer.end_window(); };
    return events;
  }

  StartReport report_of(Measurement measurement, const Loader& loader, const Device& device) const {
    for (const std::string& what : measurement.damaged) options_.on_damaged(what);
    StartReport report;
    report.repeat = summarize(measurement);
    report.measurement = std::move(measurement);
    report.loader_name = loader.profile_name();
    report.pinned_bytes = device.pinned_bytes();
    report.batches_per_epoch = loader.batches_per_epoch();
    return report;
  }

  ResolvedLoaderOptions options_of(const CellSpec& cell) const {
    ResolvedLoaderOptions loader = cell.loader;
    if (!cell.emulate.empty()) loader.costs = options_.costs.at(cell.emulate);
    return loader;
  }

  StepBarrier* barrier() const { return options_.barrier ? options_.barrier() : nullptr; }

  // One rank of each node applies the state, while no rank maps the files.
  void prepare_cache(CacheState state, const std::vector<std::filesystem::path>& files,
                     const std::stop_token& stop) {
    StepBarrier* const barrier = this->barrier();
    if (barrier) barrier->agree();
    if (!barrier || barrier->local_rank() == 0) apply_cache_state(state, files, stop);
    if (barrier) barrier->agree();
  }

  // For kCold it closes the datasets, because mapped pages stay in the page cache.
  const OpenDataset& dataset_in_cache(const CellSpec& cell, const std::stop_token& stop) {
    const OpenDataset& open = dataset(cell);
    if (cell.cache == CacheState::kAsIs) return open;
    if (cell.cache == CacheState::kWarm) {
      prepare_cache(cell.cache, open.reader->files(), stop);
      return open;
    }
    check_stays_cold(protocol_of(cell, options_.measure), cell.loader.batch_size,
                     shard_size(open.dataset->size(), cell.loader.shard));
    const std::vector<std::filesystem::path> files = open.reader->files();
    datasets_.clear();
    prepare_cache(cell.cache, files, stop);
    return dataset(cell);
  }

  // Only one dataset stays open: pages that another one maps would count as this cell's memory.
  const OpenDataset& dataset(const CellSpec& cell) {
    const PipelineSpec pipeline = wire_pipeline(options_.pipeline, cell);
    const DatasetKey key(catalog_name(copy_of(cell)), cell.reads, pipeline.dtype, pipeline.decoding,
                         pipeline.on_device, cell.padding);
    std::erase_if(datasets_, [&](const auto& other) { return other.first != key; });
    OpenDataset& open = datasets_[key];
    if (!open.dataset) {
      const SweepDataset& prepared = this->prepared(cell);
      if (!prepared.problem.empty()) throw FormatError(prepared.problem);
      open.reader = open_unchanged(prepared, cell.reads);
      open.dataset = make_record_dataset(open.reader, pipeline, options_.measure.seed,
                                         options_.on_damaged ? OnDamaged::kSkip : OnDamaged::kThrow,
                                         cell.reads.batch);
    }
    return open;
  }

  // Refuses a dataset that was modified since the sweep began: its rates would not be comparable.
  static std::shared_ptr<const RecordReader> open_unchanged(const SweepDataset& prepared,
                                                            const ReadOptions& reads) {
    std::shared_ptr<const RecordReader> reader = open_dataset(prepared.path, reads);
    if (reader->size() == prepared.records) return reader;
    throw FormatError(
        fmt::format("{}: has {} records and had {} when the sweep started; do not modify it during "
                    "the sweep, and measure the cell again with --resume and --retry-failed",
                    prepared.path.string(), reader->size(), prepared.records));
  }

  // The mock loader names no format; any dataset serves it.
  const SweepDataset& prepared(const CellSpec& cell) const {
    const auto named = options_.datasets.find(catalog_name(copy_of(cell)));
    if (named != options_.datasets.end()) return named->second;
    if (options_.datasets.empty()) throw Error("the sweep has no dataset for this cell");
    return options_.datasets.begin()->second;
  }

  Device& device(const CellSpec& cell) {
    std::unique_ptr<Device>& open = devices_[cell.device];
    if (!open) open = open_named_device(cell.device, clock_);
    return *open;
  }

  void forget_device(const CellSpec& cell) {
    monitors_.forget(cell.device);
    devices_.erase(cell.device);
  }

  void note(const std::string& warning) const {
    if (options_.on_warning) options_.on_warning(warning);
  }

  // The peak depends on the device only, so it is measured once.
  double peak(const CellSpec& cell, Device& device) {
    const auto [known, is_new] = peaks_.try_emplace({cell.device, cell.gemms->precision}, 0.0);
    if (is_new) known->second = measure_gemm_peak(device, cell.gemms->precision);
    return known->second;
  }

  static void check_epoch_is_not_empty(const Dataset& dataset,
                                       const ResolvedLoaderOptions& loader) {
    const std::uint64_t records = shard_size(dataset.size(), loader.shard);
    if (!loader.drop_last || records >= loader.batch_size) return;
    throw ConfigError(fmt::format(
        "drop_last: the {} {} records, fewer than batch_size {}: there is no full batch",
        loader.shard.replicas == 1 ? "dataset has" : "share of a rank is", records,
        loader.batch_size));
  }

  static std::uint64_t dropped_samples(const Dataset& dataset,
                                       const ResolvedLoaderOptions& loader) {
    if (!loader.drop_last) return 0;
    // The samples that DistributedSampler drops count for the first ranks, so the sum is exact.
    const bool has_rest = loader.shard.rank < dataset.size() % loader.shard.replicas;
    return shard_size(dataset.size(), loader.shard) % loader.batch_size + (has_rest ? 1 : 0);
  }

  NativeEngineOptions options_;
  const ObserverOptions observer_options_;
  GpuMonitors monitors_;
  Clock& clock_;
  std::map<std::string, std::unique_ptr<Device>> devices_;
  std::map<std::pair<std::string, Precision>, double> peaks_;  // In FLOP/s.
  std::map<DatasetKey, OpenDataset> datasets_;
};

}  // namespace

std::unique_ptr<CellEngine> make_native_engine(NativeEngineOptions options, Clock& clock) {
  return std::make_unique<NativeEngine>(std::move(options), clock);
}

}  // namespace feedrate
