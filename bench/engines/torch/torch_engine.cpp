// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/torch_engine.h"

#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/aggregate.h"
#include "bench/engines/cache_state.h"
#include "bench/engines/cell_trainer.h"
#include "bench/engines/observers/observers.h"
#include "bench/engines/protocol.h"
#include "bench/engines/torch/fork_server.h"
#include "bench/engines/torch/session.h"
#include "bench/plan/cell_protocol.h"
#include "bench/plan/limit_cells.h"
#include "bench/plan/named_device.h"
#include "core/error.h"
#include "core/format.h"
#include "core/host/page_cache.h"
#include "core/host/text_file.h"
#include "device/lost.h"
#include "formats/registry.h"
#include "loaders/decode/to_tensor.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;
using SteadyTime = std::chrono::steady_clock;

// Facts of a dataset, cached because listing a million files for each cell would take long.
struct DatasetInfo {
  TorchDataset dataset;
  std::vector<fs::path> files;
  std::size_t records = 0;
  std::optional<double> staging_time;
};

class TorchEngine final : public CellEngine {
 public:
  TorchEngine(TorchEngineOptions options, TorchRuntime runtime, Clock& clock)
      : options_(std::move(options)),
        observer_options_{options_.measure.monitor, options_.measure.profile, options_.instruments,
                          options_.on_profile},
        monitors_(options_.instruments),
        runtime_(std::move(runtime)),
        servers_{{"", runtime_.server}},
        device_clock_(clock) {}

  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    const DatasetInfo& data = inspect(cell);
    TorchSessionOptions session = session_options(cell);
    prepare_cache(cell, data, session.protocol, stop);
    started_ = SteadyTime::now();
    ForkServer& server = start_server(cell.environment);
    const std::string job = torch_job(cell, data.dataset, session.protocol, server.process());
    PythonChild child = fork(cell.environment, stop);
    const std::unique_ptr<StartObserver> observer =
        make_observers(context_of(cell, data, server), observer_options_, monitors_);
    StartReport report = measure_child(std::move(child), cell, job, session, *observer, stop);
    observer->after_loader(report);
    for (const std::string& warning : report.warnings) note(warning);
    return std::move(report.repeat);
  }

 private:
  // torch/utils/data/dataloader.py gives its spans this name.
  static std::string loader_name(const CellSpec& cell) {
    return fmt::format("enumerate(DataLoader)#_{}DataLoaderIter.__next__",
                       cell.loader.num_workers == 0 ? "SingleProcess" : "MultiProcessing");
  }

  static void prepare_cache(const CellSpec& cell, const DatasetInfo& data,
                            const ProtocolOptions& protocol, const std::stop_token& stop) {
    if (cell.cache == CacheState::kCold) {
      check_stays_cold(protocol, cell.loader.batch_size, data.records);
    }
    apply_cache_state(cell.cache, data.files, stop);
  }

  // The I/O of a child counts as the server's, which waits for it.
  static StartContext context_of(const CellSpec& cell, const DatasetInfo& data,
                                 const ForkServer& server) {
    StartContext start{.cell = cell, .process = server.process()};
    start.device_info = [&cell] { return named_device_info(cell.device); };
    if (!data.files.empty()) start.dataset = data.files.front();
    start.files = some_of(data.files);
    start.staging_time = data.staging_time;
    return start;
  }

  // The child makes its loader when it receives its job, and has ended on return.
  StartReport measure_child(PythonChild child, const CellSpec& cell, const std::string& job,
                            TorchSessionOptions& session, StartObserver& observer,
                            const std::stop_token& stop) {
    session.on_warm_up = [&observer] { observer.begin_window(); };
    session.on_window_over = [&observer] { observer.end_window(); };
    observer.before_loader();
    TorchSessionResult result = run_session(std::move(child), cell, job, session, stop);
    observer.device_idle();
    return report_of(cell, std::move(result));
  }

  static StartReport report_of(const CellSpec& cell, TorchSessionResult result) {
    StartReport report;
    report.repeat = summarize(result.measurement);
    report.repeat.device_step = std::move(result.device_step);
    if (!result.cpu_known) {
      std::erase_if(report.repeat.metrics,
                    [](const Metric& metric) { return metric.tag == "cpu_time"; });
    }
    if (result.epochs_in_window > 0) {
      report.warnings.push_back(fmt::format(
          "{}: epochs began within the measured steps, since this loader decides where they end, "
          "so the rates include their starts; use a larger dataset or fewer measure.steps",
          cell.loader_factory.empty() ? of_variant("dataset.torch", cell.variant)
                                      : cell.loader_factory));
    }
    report.measurement = std::move(result.measurement);
    report.loader_name = loader_name(cell);
    report.pinned_bytes = result.pinned_bytes;
    report.batches_per_epoch = result.prepared.batches_per_epoch;
    report.samples_dropped = result.prepared.samples_dropped;
    return report;
  }

  // Each environment has its own server, because libraries read the environment during import.
  ForkServer& start_server(const std::string& environment) {
    std::shared_ptr<ForkServer>& server = servers_[environment];
    if (!server || !server->is_usable()) {
      server = std::make_shared<ForkServer>(runtime_.program(environment), runtime_.modules);
    }
    return *server;
  }

  // A server that fails to fork cannot be used again: the kernel kills it when memory runs out.
  PythonChild fork(const std::string& environment, const std::stop_token& stop) {
    std::shared_ptr<ForkServer>& server = servers_[environment];
    try {
      return server->fork(stop);
    } catch (const Cancelled&) {
      const std::string where = is_late() ? server->where_it_hangs() : std::string();
      server.reset();
      if (is_late()) throw Error(too_long(where));
      throw;
    } catch (...) {
      server.reset();
      throw;
    }
  }

  TorchSessionResult run_session(PythonChild forked, const CellSpec& cell, const std::string& job,
                                 const TorchSessionOptions& session, const std::stop_token& stop) {
    Conversation child(std::move(forked), job, stop);
    try {
      TorchSessionResult result = run_torch_session(child, session);
      pass_on_warnings(child.output());
      return result;
    } catch (const Cancelled&) {
      if (is_late()) throw Error(too_long(child.where_it_hangs()));
      throw;
    } catch (const DeviceLost&) {
      devices_.erase(cell.device);
      throw;
    }
  }

  // The runner's time limit began a moment before started_, hence 95 %.
  bool is_late() const {
    return SteadyTime::now() - started_ >= 0.95 * options_.measure.cell_timeout;
  }

  std::string too_long(const std::string& where) const {
    const std::string limit = format_duration(to_seconds(options_.measure.cell_timeout));
    return fmt::format("took longer than measure.cell_timeout_s, {}{}{}", limit,
                       where.empty() ? "" : "; Python stack, most recent call first:\n", where);
  }

  TorchSessionOptions session_options(const CellSpec& cell) {
    TorchSessionOptions session{.protocol = protocol_of(cell, options_.measure),
                                .make_trainer = {},
                                .clock = &device_clock_,
                                .allocate = {},
                                .on_python_warning = options_.on_python_warning,
                                .on_warm_up = {},
                                .on_window_over = {}};
    if (!cell.trains() || cell.has_own_step() || is_cuda(cell)) return session;
    Device& device = this->device(cell.device);
    const WorkUnits units = work_units(options_.pipeline);
    if (options_.pipeline.tokens) {
      session.largest_batch =
          cell.loader.batch_size * (units.per_sample * units.bytes + kTorchLabelBytes);
    }
    session.make_trainer = [&device, cell, units,
                            &pipeline = options_.pipeline](std::size_t batch_bytes) {
      DeviceTrainerOptions transfer = cell.transfer;
      transfer.batch_bytes = batch_bytes;
      transfer.unit_bytes = units.bytes;
      transfer.label_bytes = kTorchLabelBytes;
      if (cell.normalize_on_gpu) {
        constexpr std::size_t kChannels = 3;
        const std::size_t sample = batch_bytes / cell.loader.batch_size - kTorchLabelBytes;
        transfer.normalize = {sample / kChannels, tensor_values(pipeline.normalize)};
      }
      return make_device_trainer(device, transfer, make_step_work(cell, pipeline, device));
    };
    session.allocate = [&device](std::size_t size, HostMemory kind) {
      return device.allocate_host(size, kind);
    };
    return session;
  }

  const DatasetInfo& inspect(const CellSpec& cell) {
    const std::string name = options_.dataset.is_own() ? cell.variant : catalog_name(copy_of(cell));
    const auto known = inspected_.find(name);
    if (known != inspected_.end()) return known->second;
    DatasetInfo data;
    data.dataset.module_folders = options_.dataset.module_folders;
    if (options_.dataset.is_own()) {
      data.dataset.own = own_dataset(options_.dataset, cell.variant);
    } else {
      const SweepDataset& prepared = options_.datasets.at(name);
      if (!prepared.problem.empty()) throw FormatError(prepared.problem);
      const auto reader = open_dataset(prepared.path);
      require_payload(*reader, prepared.path);
      data.dataset.records = {prepared.path, std::string(reader->format()), options_.pipeline,
                              options_.dataset.skip_damaged};
      data.files = reader->files();
      data.records = reader->size();
      if (prepared.staged) data.staging_time = prepared.staged->seconds;
    }
    return inspected_.emplace(name, std::move(data)).first->second;
  }

  // The child would read images as tokens or points without an error.
  void require_payload(const RecordReader& reader, const fs::path& path) const {
    const bool opaque = options_.pipeline.tokens || options_.pipeline.sample_points;
    if (!opaque || reader.payload() == Payload::kBytes) return;
    throw FormatError(fmt::format("{}: holds images; {} are opaque bytes", path.string(),
                                  options_.pipeline.tokens ? "tokens" : "points"));
  }

  void note(const std::string& warning) const {
    if (options_.on_warning) options_.on_warning(warning);
  }

  Device& device(const std::string& name) {
    std::unique_ptr<Device>& open = devices_[name];
    if (!open) open = open_named_device(name, device_clock_);
    return *open;
  }

  // Workers cannot send messages, so their warnings are taken from the output, where they look like
  // "…/data.py:7: UserWarning: text".
  void pass_on_warnings(const std::string& output) const {
    for (const std::string_view line : split_lines(output)) {
      const std::size_t word = line.find("Warning: ");
      if (word == std::string_view::npos || !options_.on_python_warning) continue;
      const std::size_t begin = line.rfind(' ', word);
      options_.on_python_warning(
          std::string(line.substr(begin == std::string_view::npos ? 0 : begin + 1)));
    }
  }

  const TorchEngineOptions options_;
  const ObserverOptions observer_options_;
  GpuMonitors monitors_;
  TorchRuntime runtime_;
  std::map<std::string, std::shared_ptr<ForkServer>> servers_;  // By environment.
  ChildClock device_clock_;
  SteadyTime::time_point started_;
  std::map<std::string, DatasetInfo> inspected_;
  std::map<std::string, std::unique_ptr<Device>> devices_;
};

// detect() also works for a path that does not exist yet.
std::string format_at(const fs::path& path) {
  for (const Format& format : formats()) {
    if (format.detect(path)) return std::string(format.name);
  }
  return "folder";
}

bool is_for_torch(const CellSpec& cell, const SweepConfig& config) {
  return cell.engine == EngineKind::kTorch || config.dataset.is_own();
}

std::string format_of(const CellSpec& cell, const SweepConfig& config) {
  return cell.format.empty() ? format_at(config.dataset.path) : cell.format;
}

// Returns the module, named like its package, that reads the format in Python; empty if torch alone
// does.
std::string module_of(const std::string& format) {
  if (format.starts_with("hdf5")) return "h5py";
  if (format == "lmdb" || format == "zarr") return format;
  return format == "npy" || format == "npz" ? "numpy" : "";
}

std::string why_missing(const CellSpec& cell, const SweepConfig& config,
                        const TorchRuntime& runtime) {
  if (!is_for_torch(cell, config)) return {};
  const auto problem_of = [&](const std::string& need, const std::string& name) {
    const auto missing = runtime.missing.find(need);
    return missing == runtime.missing.end() ? "" : fmt::format("{}: {}", name, missing->second);
  };
  for (const auto& [need, reference] : functions_of(cell)) {
    if (std::string problem = problem_of(need, need); !problem.empty()) return problem;
  }
  if (config.dataset.is_own()) {
    const std::string variant = variant_need(cell.variant);
    return problem_of(variant, variant);
  }
  const std::string format = format_of(cell, config);
  return problem_of(module_of(format), "format " + format);
}

}  // namespace

std::unique_ptr<CellEngine> make_torch_engine(TorchEngineOptions options, TorchRuntime runtime,
                                              Clock& clock) {
  return std::make_unique<TorchEngine>(std::move(options), std::move(runtime), clock);
}

std::optional<TorchNeeds> torch_needs(const SweepConfig& config, const std::vector<Cell>& plan) {
  TorchNeeds needs;
  std::set<std::string> variants;  // Variants of cells that run.
  bool any = false;
  for (const Cell& cell : plan) {
    if (!cell.skip_reason.empty()) continue;
    const CellSpec spec = make_cell_spec(cell.settings, config.measure.seed);
    if (!is_for_torch(spec, config)) continue;
    any = true;
    needs.cuda = needs.cuda || is_cuda(spec);
    needs.functions.merge(functions_of(spec));
    if (config.dataset.is_own()) {
      variants.insert(spec.variant);
      continue;
    }
    if (!is_opaque(config.pipeline)) {
      needs.modules["PIL"] = "pillow";
      needs.modules["torchvision"] = "torchvision";
    }
    const std::string module = module_of(format_of(spec, config));
    if (!module.empty()) needs.format_modules[module] = module;
  }
  for (const OwnDataset& own : config.dataset.own) {
    if (variants.contains(own.variant)) needs.own.push_back(own);
  }
  needs.module_folders = config.dataset.module_folders;
  return any ? std::optional(needs) : std::nullopt;
}

void skip_what_is_missing(std::vector<Cell>& plan, const SweepConfig& config,
                          const TorchRuntime& runtime) {
  std::string missing;
  bool asks_for_limits_only = true;  // A sweep may have mock trainers only.
  std::size_t limits = 0;
  std::size_t others = 0;
  for (Cell& cell : plan) {
    if (!cell.skip_reason.empty()) continue;
    const bool is_limit = !limit_note(cell).empty();
    asks_for_limits_only = asks_for_limits_only && is_limit;
    cell.skip_reason =
        why_missing(make_cell_spec(cell.settings, config.measure.seed), config, runtime);
    if (missing.empty()) missing = cell.skip_reason;
    if (cell.skip_reason.empty()) ++(is_limit ? limits : others);
  }
  const bool any = asks_for_limits_only ? limits > 0 : others > 0;
  if (!missing.empty() && !any) throw ConfigError(fmt::format("engine torch: {}", missing));
}

}  // namespace feedrate
