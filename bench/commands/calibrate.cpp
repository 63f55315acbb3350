#include "bench/commands/calibrate.h"

#include <fmt/format.h>

#include "bench/calibration/cost_profile.h"
#include "bench/calibration/probes.h"
#include "bench/calibration/sample_sweep.h"
#include "bench/dataset_shelf.h"
#include "bench/deadline.h"
#include "bench/engines/native_engine.h"
#include "bench/engines/torch_engine.h"
#include "bench/plan/plan.h"
#include "core/error.h"
#include "core/statistics.h"
#include "formats/registry.h"
#include "host/cpu.h"
#include "loaders/record_dataset.h"
#include "report/durable_file.h"

namespace feedrate {
namespace {

class SampleProbe {
 public:
  SampleProbe(const SweepConfig& config, const TorchRuntime& runtime, Clock& clock,
              Console& console)
      : config_(sample_sweep(config)), clock_(clock), console_(console) {
    const std::vector<Cell> plan = make_plan(config_, {{}, 1});
    shelf_ = shelve_datasets(config_, plan, console_);
    native_ =
        make_native_engine({shelf_, config_.pipeline, config_.measure, on_damaged(), {}}, clock_);
    torch_ = make_torch_engine(
        {shelf_, config_.dataset, config_.pipeline, config_.measure, nullptr}, runtime, clock_);
    for (const Cell& cell : plan) {
      cells_.push_back(make_cell_spec(cell.settings, config_.measure.seed));
    }
  }

  void run(LoaderCosts& costs, std::size_t repeats) {
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      for (const CellSpec& cell : cells_) measure(cell);
    }
    const std::size_t samples = cells_.front().loader.batch_size;
    const std::size_t batch_bytes = samples * sample_bytes();
    costs.inline_sample = fit_sample(costs.inline_batch, excess_with(0), samples, batch_bytes);
    costs.worker_sample = fit_sample(costs.worker_batch, excess_with(1), samples, batch_bytes);
    if (usable_cpus() < 2) return;
    fit_workers({excess_with(1), excess_with(2), samples, batch_bytes}, costs);
  }

 private:
  struct Figures {
    std::vector<double> step, first_batch, epoch_end;
  };

  void measure(const CellSpec& cell) {
    const Deadline deadline(config_.measure.cell_timeout, console_.stop);
    CellEngine& engine = cell.engine == EngineKind::kTorch ? *torch_ : *native_;
    const Repeat measured = engine.run(cell, deadline.token());
    Figures& figures = figures_[{cell.loader.num_workers, cell.engine}];
    figures.step.push_back(*find_metric(measured.metrics, "step_time"));
    figures.first_batch.push_back(*find_metric(measured.metrics, "first_batch_time"));
    figures.epoch_end.push_back(*find_metric(measured.metrics, "epoch_end_time"));
  }

  Excess excess_with(std::size_t workers) {
    const Figures& torch = figures_[{workers, EngineKind::kTorch}];
    const Figures& native = figures_[{workers, EngineKind::kNative}];
    Excess excess;
    excess.step = median(torch.step) - median(native.step);
    excess.first_batch = median(torch.first_batch) - median(native.first_batch);
    excess.epoch_end = median(torch.epoch_end) - median(native.epoch_end);
    return excess;
  }

  std::function<void(const std::string&)> on_damaged() const {
    if (!config_.dataset.skip_damaged) return nullptr;
    return [](const std::string&) {};
  }

  std::size_t sample_bytes() const {
    const ShelvedDataset& shelved = shelf_.begin()->second;
    return make_record_dataset(open_dataset(shelved.path), config_.pipeline, 0,
                               config_.dataset.skip_damaged ? OnDamaged::kSkip : OnDamaged::kThrow)
        ->sample_bytes();
  }

  SweepConfig config_;
  Clock& clock_;
  Console& console_;
  std::map<std::string, ShelvedDataset> shelf_;
  std::unique_ptr<CellEngine> native_, torch_;
  std::vector<CellSpec> cells_;
  std::map<std::pair<std::size_t, EngineKind>, Figures> figures_;
};

TorchRuntime look_for_torch(const std::optional<SweepConfig>& config, Console& console) {
  TorchNeeds needs;
  if (config) {
    const SweepConfig cut = sample_sweep(*config);
    needs = torch_needs(cut, make_plan(cut, {{}, 1})).value_or(TorchNeeds{});
  }
  return find_torch(needs, std::chrono::minutes(2), console.stop);
}

std::optional<SweepConfig> load(const CalibrateOptions& options) {
  if (options.config.empty()) return std::nullopt;
  SweepConfig config = load_sweep(options.config, options.overrides);
  if (config.dataset.own) {
    throw ConfigError(fmt::format(
        "{}: dataset.torch: the native engine cannot load it, so that there is nothing to compare "
        "with; calibrate with a sweep over a dataset of files, or with none",
        options.config.string()));
  }
  require_dataset(config.dataset);
  return config;
}

}  // namespace

int run_calibrate(const CalibrateOptions& options, Console& console) {
  const std::optional<SweepConfig> config = load(options);
  touch_file(options.out);
  const TorchRuntime runtime = look_for_torch(config, console);
  SteadyClock clock;
  ProbeOptions probing;
  probing.repeats = options.repeats;
  probing.on_progress = [&](const std::string& what, std::size_t done, std::size_t total) {
    console.err << fmt::format("[{:>2}/{}] {}\n", done + 1, total, what);
  };
  CostProfile profile;
  profile.machine = fmt::format("{}, {} usable CPUs", read_cpu_info().model, usable_cpus());
  profile.versions = runtime.versions;
  profile.costs = fit_costs(run_probes(runtime, probing, clock, console.stop));
  if (config) {
    console.err << fmt::format("samples of {}\n", config->dataset.path.string());
    profile.dataset = config->dataset.path.string();
    SampleProbe(*config, runtime, clock, console).run(profile.costs, options.repeats);
  }
  const std::string text = to_yaml(profile);
  replace_file(options.out, text);
  console.out << text << fmt::format("\nWritten: {}\n", options.out.string());
  return kExitOk;
}

}  // namespace feedrate
