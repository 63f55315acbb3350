// SPDX-License-Identifier: Apache-2.0
#include "bench/calibrate_torch.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/calibration/probes.h"
#include "bench/calibration/quiet_pairs.h"
#include "bench/calibration/sample_sweep.h"
#include "bench/calibration/settled.h"
#include "bench/dataset_catalog.h"
#include "bench/engines/native_engine.h"
#include "bench/engines/torch/torch_engine.h"
#include "bench/plan/plan.h"
#include "core/host/cpu.h"
#include "core/host/deadline.h"
#include "formats/registry.h"
#include "loaders/record_dataset.h"

namespace feedrate {
namespace {

class SampleProbe {
 public:
  SampleProbe(const SweepConfig& config, const TorchRuntime& runtime, Clock& clock,
              Console& console)
      : config_(sample_sweep(config)), clock_(clock), console_(console) {
    const std::vector<Cell> plan = make_plan(config_, {{}, 1});
    std::vector<std::string> unused_warnings;  // a profile has none
    catalog_ = prepare_datasets(config_, plan, console_, unused_warnings);
    const auto watched = [this](std::unique_ptr<CellEngine> engine) {
      return make_watched_engine(std::move(engine), config_.measure.cell_timeout, clock_);
    };
    engines_.native = watched(make_native_engine(
        {catalog_, config_.pipeline, config_.measure, on_damaged(), {}}, clock_));
    engines_.torch = watched(make_torch_engine(
        {catalog_, config_.dataset, config_.pipeline, config_.measure, nullptr}, runtime, clock_));
    for (const Cell& cell : plan) {
      const CellSpec spec = make_cell_spec(cell.settings, config_.measure.seed);
      OfBoth<CellSpec>& cells = probes_[spec.loader.num_workers].cells;
      (spec.engine == EngineKind::kTorch ? cells.torch : cells.native) = spec;
    }
  }

  // Measures both engines alternately, as run_probes() does, until the steps have settled.
  void run(std::size_t repeats, const std::function<void(std::size_t repeat)>& on_progress) {
    repeats_ = repeats;
    for (std::size_t repeat = 0; repeat < most_repeats(repeats); ++repeat) {
      if (unsettled().empty()) break;
      on_progress(repeat);
      for (auto& [workers, probe] : probes_) measure(probe);
    }
  }

  double batch_time() const {
    const double of_one =
        std::min(difference_with(0, &Probe::step).of, difference_with(1, &Probe::step).of);
    return of_one / static_cast<double>(usable_cpus());
  }

  // REQUIRES: `costs` has the loader's own costs
  void fit(LoaderCosts& costs) const {
    const std::size_t samples = probes_.at(0).cells.native.loader.batch_size;
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
    std::vector<std::string> texts;
    for (const auto& [workers, probe] : probes_) {
      if (!has_settled(workers, probe)) texts.push_back(step_text(workers));
    }
    return texts;
  }

 private:
  struct Probe {
    OfBoth<CellSpec> cells;
    PairedFigures step, first_batch, epoch_end;
  };

  void measure(Probe& probe) {
    const Deadline deadline(2 * config_.measure.cell_timeout, console_.stop);
    const auto starts = pairs_.run(engines_, probe.cells, deadline.token());
    if (!starts) return;
    const auto note = [&](PairedFigures& figures, const char* metric) {
      figures.add(*find_metric(starts->torch.metrics, metric),
                  *find_metric(starts->native.metrics, metric));
    };
    note(probe.step, "step_time");
    note(probe.first_batch, "first_batch_time");
    note(probe.epoch_end, "epoch_end_time");
  }

  // Only the first batch and the end of an epoch are used with two workers.
  bool has_settled(std::size_t workers, const Probe& probe) const {
    constexpr double kShare = 0.15;
    return probe.step.torch.size() >= repeats_ &&
           (workers > 1 || is_settled(difference_of(probe.step), kShare));
  }

  PairedDifference difference_with(std::size_t workers, PairedFigures Probe::*figure) const {
    return difference_of(probes_.at(workers).*figure);
  }

  Excess excess_with(std::size_t workers) const {
    return {.step = difference_with(workers, &Probe::step).value,
            .first_batch = difference_with(workers, &Probe::first_batch).value,
            .epoch_end = difference_with(workers, &Probe::epoch_end).value};
  }

  std::string step_text(std::size_t workers) const {
    return describe(fmt::format("samples of the sweep, num_workers={}, step", workers),
                    difference_with(workers, &Probe::step));
  }

  std::function<void(const std::string&)> on_damaged() const {
    if (!config_.dataset.skip_damaged) return nullptr;
    return [](const std::string&) {};
  }

  std::size_t sample_bytes() const {
    const SweepDataset& prepared = catalog_.begin()->second;
    return make_record_dataset(open_dataset(prepared.path), config_.pipeline, 0,
                               config_.dataset.skip_damaged ? OnDamaged::kSkip : OnDamaged::kThrow)
        ->sample_bytes();
  }

  SweepConfig config_;
  Clock& clock_;
  Console& console_;
  std::map<std::string, SweepDataset> catalog_;
  OfBoth<std::unique_ptr<CellEngine>> engines_;
  std::map<std::size_t, Probe> probes_;
  QuietPairs pairs_;
  std::size_t repeats_ = 0;  // minimum per probe
};

CostProfile loader_costs(const TorchRuntime& runtime, const CalibrationNeeds& needs,
                         const ProbeOptions& probing, Clock& clock, const std::stop_token& stop,
                         std::vector<std::string>& problems) {
  if (std::optional<CostProfile> kept =
          needs.known ? needs.known(probing.negligible) : std::nullopt) {
    return *std::move(kept);
  }
  const ProbeReport report = run_probes(runtime, probing, clock, stop);
  problems.insert(problems.end(), report.unsettled.begin(), report.unsettled.end());
  return {.costs = fit_costs(report.results),
          .machine = calibrated_machine(),
          .versions = runtime.versions,
          .dataset = "",
          .settled_within = probing.negligible,
          .figures = report.figures};
}

std::string why_unsettled(const CalibrationNeeds& needs, const std::vector<std::string>& problems) {
  return fmt::format(
      "calibrate: the costs did not settle in {} repeats; stop other programs on this machine and "
      "calibrate again. Not settled:\n  {}",
      most_repeats(needs.repeats), fmt::join(problems, "\n  "));
}

}  // namespace

std::string calibrated_machine() {
  return fmt::format("{}, {} usable CPUs", read_cpu_info().model, usable_cpus());
}

TorchRuntime find_torch_to_calibrate(const SweepConfig* config, const std::stop_token& stop) {
  TorchNeeds needs;
  if (config != nullptr) {
    const SweepConfig sample = sample_sweep(*config);
    needs = all_required(torch_needs(sample, make_plan(sample, {{}, 1})).value_or(TorchNeeds{}));
  }
  return find_torch(needs, std::chrono::minutes(2), stop);
}

Calibration calibrate_torch(const SweepConfig* config, const TorchRuntime& runtime,
                            const CalibrationNeeds& needs, Console& console) try {
  SteadyClock clock;
  ProbeOptions probing;
  probing.repeats = needs.repeats;
  probing.on_progress = [&](std::size_t repeat, const std::string& what) {
    const bool is_sure_to_come = repeat < needs.repeats;
    console.err << fmt::format("[calibrate] repeat {} of {}{}: {}\n", repeat + 1,
                               is_sure_to_come ? "" : "at most ",
                               is_sure_to_come ? needs.repeats : most_repeats(needs.repeats), what);
  };
  std::vector<std::string> problems;
  std::optional<SampleProbe> samples;
  if (config != nullptr) {
    samples.emplace(*config, runtime, clock, console);
    samples->run(needs.repeats, [&](std::size_t repeat) {
      probing.on_progress(repeat, fmt::format("samples of {}", config->dataset.path.string()));
    });
    problems = samples->unsettled();
    probing.negligible = std::max(probing.negligible, needs.share * samples->batch_time());
  }
  CostProfile profile = loader_costs(runtime, needs, probing, clock, console.stop, problems);
  if (samples) {
    profile.dataset = config->dataset.path.string();
    samples->fit(profile.costs);
    for (const std::string& text : samples->figures()) profile.figures.push_back(text);
  }
  for (std::string& text : implausible(profile.costs, kProbeBatch * kProbeSampleBytes[1])) {
    problems.push_back(std::move(text));
  }
  return {std::move(profile), problems.empty() ? std::string() : why_unsettled(needs, problems)};
} catch (const DisturbedCalibration& error) {
  return {
      .profile = {},
      .unsettled = fmt::format("calibrate: the costs did not settle: {}, which would distort the "
                               "costs; stop or wait for the other programs and calibrate again.",
                               error.what())};
}

}  // namespace feedrate
