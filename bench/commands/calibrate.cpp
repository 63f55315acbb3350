#include "bench/commands/calibrate.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/calibration/cost_profile.h"
#include "bench/calibration/probes.h"
#include "bench/calibration/sample_sweep.h"
#include "bench/calibration/settled.h"
#include "bench/dataset_shelf.h"
#include "bench/deadline.h"
#include "bench/engines/native_engine.h"
#include "bench/engines/torch_engine.h"
#include "bench/plan/plan.h"
#include "core/error.h"
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
    std::vector<std::string> told;  // On console_.err; a profile holds no doubts.
    shelf_ = shelve_datasets(config_, plan, console_, told);
    native_ =
        make_native_engine({shelf_, config_.pipeline, config_.measure, on_damaged(), {}}, clock_);
    torch_ = make_torch_engine(
        {shelf_, config_.dataset, config_.pipeline, config_.measure, nullptr}, runtime, clock_);
    for (const Cell& cell : plan) {
      cells_.push_back(make_cell_spec(cell.settings, config_.measure.seed));
    }
  }

  // As run_probes(): both engines beside each other, and again until the steps have settled.
  void run(std::size_t repeats, const std::function<void(std::size_t repeat)>& on_progress) {
    for (std::size_t repeat = 0; repeat < most_repeats(repeats); ++repeat) {
      if (repeat >= repeats && unsettled().empty()) break;
      on_progress(repeat);
      for (const CellSpec& cell : cells_) measure(cell);
    }
  }

  // Seconds from batch to batch where all CPUs make them in PyTorch.
  double batch_time() const {
    const double of_one =
        std::min(difference_with(0, &Figures::step).of, difference_with(1, &Figures::step).of);
    return of_one / static_cast<double>(usable_cpus());
  }

  // REQUIRES: the costs of the loader itself are in `costs`
  void fit(LoaderCosts& costs) const {
    const std::size_t samples = cells_.front().loader.batch_size;
    const std::size_t batch_bytes = samples * sample_bytes();
    costs.inline_sample = fit_sample(costs.inline_batch, excess_with(0), samples, batch_bytes);
    costs.worker_sample = fit_sample(costs.worker_batch, excess_with(1), samples, batch_bytes);
    if (usable_cpus() < 2) return;
    fit_workers({excess_with(1), excess_with(2), samples, batch_bytes}, costs);
  }

  std::vector<std::string> figures() const {
    std::vector<std::string> texts;
    for (const std::size_t workers : std::array<std::size_t, 2>{0, 1})
      texts.push_back(step_text(workers));
    return texts;
  }

  std::vector<std::string> unsettled() const {
    constexpr double kShare = 0.15;
    std::vector<std::string> texts;
    for (const std::size_t workers : std::array<std::size_t, 2>{0, 1}) {
      const PairedDifference difference = difference_with(workers, &Figures::step);
      if (!is_settled(difference, kShare)) texts.push_back(step_text(workers));
    }
    return texts;
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

  PairedDifference difference_with(std::size_t workers,
                                   std::vector<double> Figures::*figure) const {
    return difference_of({figures_.at({workers, EngineKind::kTorch}).*figure,
                          figures_.at({workers, EngineKind::kNative}).*figure});
  }

  Excess excess_with(std::size_t workers) const {
    return {.step = difference_with(workers, &Figures::step).value,
            .first_batch = difference_with(workers, &Figures::first_batch).value,
            .epoch_end = difference_with(workers, &Figures::epoch_end).value};
  }

  std::string step_text(std::size_t workers) const {
    return describe(
        fmt::format("the sweep's samples, {}, step", workers == 0 ? "no workers" : "1 worker"),
        difference_with(workers, &Figures::step));
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

std::string calibrated_machine() {
  return fmt::format("{}, {} usable CPUs", read_cpu_info().model, usable_cpus());
}

Calibration calibrate_torch(const SweepConfig* config, const TorchRuntime& runtime,
                            const CalibrationNeeds& needs, Console& console) {
  const std::size_t repeats = needs.repeats;
  SteadyClock clock;
  ProbeOptions probing;
  probing.repeats = repeats;
  const auto say = [&](std::size_t repeat, const std::string& what) {
    console.err << fmt::format("[calibrate] repeat {} of {}{}: {}\n", repeat + 1,
                               repeat < repeats ? "" : "at most ",
                               repeat < repeats ? repeats : most_repeats(repeats), what);
  };
  probing.on_progress = say;
  Calibration calibration;
  CostProfile& profile = calibration.profile;
  std::vector<std::string> problems;
  std::optional<SampleProbe> samples;
  if (config != nullptr) {
    samples.emplace(*config, runtime, clock, console);
    samples->run(repeats, [&](std::size_t repeat) {
      say(repeat, fmt::format("samples of {}", config->dataset.path.string()));
    });
    problems = samples->unsettled();
    probing.negligible = std::max(probing.negligible, needs.share * samples->batch_time());
  }
  if (std::optional<CostProfile> kept =
          needs.known ? needs.known(probing.negligible) : std::nullopt) {
    profile = *std::move(kept);
  } else {
    const ProbeReport report = run_probes(runtime, probing, clock, console.stop);
    profile = {.costs = fit_costs(report.results),
               .machine = calibrated_machine(),
               .versions = runtime.versions,
               .dataset = "",
               .settled_within = probing.negligible,
               .figures = report.figures};
    problems.insert(problems.end(), report.unsettled.begin(), report.unsettled.end());
  }
  if (config != nullptr) profile.dataset = config->dataset.path.string();
  if (samples) {
    samples->fit(profile.costs);
    for (const std::string& text : samples->figures()) profile.figures.push_back(text);
  }
  for (std::string& text : implausible(profile.costs, kProbeBatch * kProbeSampleBytes[1])) {
    problems.push_back(std::move(text));
  }
  if (problems.empty()) return calibration;
  calibration.unsettled = fmt::format(
      "calibrate: the costs did not settle in {} repeats, as beside other programs; leave the "
      "machine alone and calibrate again. Not settled:\n  {}",
      most_repeats(repeats), fmt::join(problems, "\n  "));
  return calibration;
}

int run_calibrate(const CalibrateOptions& options, Console& console) {
  const std::optional<SweepConfig> config = load(options);
  touch_file(options.out);
  const TorchRuntime runtime = look_for_torch(config, console);
  const Calibration calibration =
      calibrate_torch(config ? &*config : nullptr, runtime, {.repeats = options.repeats}, console);
  if (!calibration.unsettled.empty()) {
    if (std::filesystem::is_empty(options.out)) std::filesystem::remove(options.out);
    console.err << fmt::format("{}\nNothing was written.\n", calibration.unsettled);
    return kExitCellFailed;
  }
  const std::string text = to_yaml(calibration.profile);
  replace_file(options.out, text);
  console.out << text << fmt::format("\nWritten: {}\n", options.out.string());
  return kExitOk;
}

}  // namespace feedrate
