// SPDX-License-Identifier: Apache-2.0
#include "bench/time_estimate.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "bench/engines/engine.h"
#include "bench/plan/canonicalize.h"
#include "bench/plan/cell_protocol.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/named_device.h"
#include "bench/plan/reference_work.h"
#include "bench/workbench.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/host/cpu.h"
#include "core/temporary_folder.h"
#include "formats/datasets/data_text.h"

namespace feedrate {
namespace {

constexpr std::size_t kSteps = 4;
constexpr std::int64_t kBatch = 8;
constexpr std::size_t kSampledRecords = 48;
constexpr std::int64_t kMostWorkers = 8;

struct Probe {
  double seconds = 0.0;  // of the whole start
  double step = 0.0;
  double batch = 1.0;  // samples per step
  std::size_t steps = 0;

  [[nodiscard]] double overhead() const {
    return std::max(0.0, seconds - step * static_cast<double>(steps));
  }
};

// A sweep over a few records; makes them in a temporary folder if the dataset does not exist.
class Sampled {
 public:
  explicit Sampled(SweepConfig config) : config_(std::move(config)) {
    MeasureConfig& measure = config_.measure;
    measure.steps = kSteps;
    measure.warmup = 1;
    measure.epochs = 0;
    measure.repeats = {1, 1};
    measure.monitor = false;
    measure.limits = false;
    if (config_.dataset.is_own() || is_there(config_.dataset.path) || !config_.dataset.make) return;
    folder_.emplace(temporary_root() / "feedrate-plan-");
    config_.dataset.path = folder_->path() / "sample";
    std::size_t& count = config_.dataset.make->count;
    share_ = static_cast<double>(std::min(count, kSampledRecords)) / static_cast<double>(count);
    count = std::min(count, kSampledRecords);
  }

  [[nodiscard]] const SweepConfig& config() const { return config_; }
  [[nodiscard]] double share() const { return share_; }

 private:
  SweepConfig config_;
  std::optional<TemporaryFolder> folder_;
  double share_ = 1.0;
};

class Estimator {
 public:
  Estimator(const SweepConfig& config, const std::vector<Cell>& plan, double budget,
            Console& console)
      : measure_(config.measure),
        plan_(plan),
        budget_(budget),
        stop_(console.stop),
        quiet_{silence_, silence_, false, console.stop},
        sampled_(config) {}

  TimeEstimate estimate() {
    begin_ = clock_.now();
    prepare();
    for (const Cell& cell : plan_) {
      if (!cell.skip_reason.empty()) continue;
      note_loading(cell);
      note_workers(cell);
      note_ranks(cell);
      note_step(cell);
    }
    for (const Cell& cell : plan_) result_.cells.push_back(seconds_of(cell));
    return std::move(result_);
  }

 private:
  [[nodiscard]] double elapsed() const { return to_seconds(clock_.now() - begin_); }

  void prepare() try {
    bench_.emplace(sampled_.config(), plan_, WorkbenchOptions{}, quiet_);
    const double before = elapsed();
    bench_->prepare_dataset(quiet_);
    if (sampled_.share() < 1.0) result_.dataset = (elapsed() - before) / sampled_.share();
    engine_ = bench_->make_engine({[](const std::string&) {}, [](const std::string&) {}}, clock_);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    result_.problem = error.what();
  }

  std::optional<Probe> start(CellSettings settings) try {
    canonicalize(settings);
    if (!engine_ || elapsed() > budget_) return std::nullopt;
    const CellSpec spec = make_cell_spec(settings, measure_.seed);
    const Nanos begin = clock_.now();
    const Repeat repeat = engine_->run(spec, stop_);
    ++result_.probes;
    Probe probe;
    probe.seconds = to_seconds(clock_.now() - begin);
    probe.steps = protocol_of(spec, sampled_.config().measure).total_steps();
    if (const double* const step = find_metric(repeat.metrics, "step_time")) probe.step = *step;
    probe.batch =
        static_cast<double>(std::max<std::int64_t>(1, settings.count(KnobId::batch_size, 1)));
    return probe;
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    if (result_.problem.empty()) result_.problem = error.what();
    return std::nullopt;
  }

  static CellSettings loading_alone(const Cell& cell, std::int64_t workers) {
    CellSettings settings = cell.settings;
    settings.set(KnobId::loader, std::string("dataloader"));
    settings.set(KnobId::trainer, std::string("discard"));
    settings.set(KnobId::num_workers, workers);
    settings.set(KnobId::ranks, std::int64_t{1});
    if (settings.count(KnobId::batch_size) > kBatch) settings.set(KnobId::batch_size, kBatch);
    return settings;
  }

  static std::string start_kind(const CellSettings& settings) {
    using enum KnobId;
    std::string kind;
    for (const KnobId knob :
         {engine, environment, multiprocessing_context, parent_ballast_bytes, forkserver_preload}) {
      kind += settings.text(knob) + '\n';
    }
    return kind;
  }

  static std::string loading_kind(const CellSettings& settings) {
    return settings.text(KnobId::engine) + '\n' + loading_work(settings);
  }

  void note_loading(const Cell& cell) {
    const std::string kind = loading_kind(cell.settings);
    // the mock loader's batch may come from any other cell
    if (loading_.contains(kind) || (has_mock_loader(cell.settings) && !loading_.empty())) return;
    const CellSettings settings = loading_alone(cell, 0);
    if (loading_.empty()) static_cast<void>(start(settings));  // warms up imports
    if (const std::optional<Probe> probe = start(settings)) loading_.emplace(kind, *probe);
  }

  void note_workers(const Cell& cell) {
    const std::int64_t workers = std::min(cell.settings.count(KnobId::num_workers), kMostWorkers);
    const std::string kind = start_kind(cell.settings);
    const auto alone = loading_.find(loading_kind(cell.settings));
    if (workers == 0 || alone == loading_.end() || workers_.contains(kind)) return;
    const std::optional<Probe> probe = start(loading_alone(cell, workers));
    if (!probe) return;
    const double more = probe->overhead() - alone->second.overhead();
    workers_.emplace(kind, std::max(0.0, more) / turns_of(static_cast<double>(workers), 1));
  }

  // Workers start and load in parallel as far as the CPUs go.
  static double turns_of(double workers, std::size_t ranks) {
    const double each = workers * static_cast<double>(ranks);
    return each == 0.0 ? 0.0 : std::max(1.0, each / usable_cpus());
  }

  void note_ranks(const Cell& cell) {
    const std::int64_t ranks = cell.settings.count(KnobId::ranks, 1);
    const auto alone = loading_.find(loading_kind(cell.settings));
    if (ranks <= 1 || alone == loading_.end() || ranks_.contains(ranks)) return;
    CellSettings settings = loading_alone(cell, 0);
    settings.set(KnobId::ranks, ranks);
    const std::optional<Probe> probe = start(settings);
    if (probe) ranks_.emplace(ranks, std::max(0.0, probe->overhead() - alone->second.overhead()));
  }

  // Measures steps whose length only a run can tell.
  void note_step(const Cell& cell) {
    const std::string work = trainer_work(cell.settings);
    const CellSpec spec = make_cell_spec(cell.settings, measure_.seed);
    if (!spec.trains() || least_seconds(spec, measure_) || steps_.contains(work)) return;
    CellSettings settings = cell.settings;
    settings.set(KnobId::loader, std::string("cached"));
    settings.set(KnobId::ranks, std::int64_t{1});
    if (const std::optional<Probe> probe = start(settings)) steps_.emplace(work, *probe);
  }

  [[nodiscard]] std::optional<double> step_of(const Cell& cell, const CellSpec& spec,
                                              double steps) const {
    if (const std::optional<double> least = least_seconds(spec, measure_)) {
      return *least / static_cast<double>(measure_.repeats.least) / steps;
    }
    const auto known = steps_.find(trainer_work(cell.settings));
    return known == steps_.end() ? std::nullopt : std::optional(known->second.step);
  }

  // Seconds of a start beyond the loader's, such as building the model of a user's step.
  [[nodiscard]] double step_overhead(const Cell& cell, const Probe& loading) const {
    const auto known = steps_.find(trainer_work(cell.settings));
    if (known == steps_.end()) return 0.0;
    return std::max(0.0, known->second.overhead() - loading.overhead());
  }

  // Seconds per sample in one process; for kinds without a probe, the mean of the engine's others.
  [[nodiscard]] std::optional<Probe> loading_of(const Cell& cell) const {
    const auto known = loading_.find(loading_kind(cell.settings));
    if (known != loading_.end()) return known->second;
    Probe mean;
    double kinds = 0.0;
    mean.batch = 0.0;
    const std::string engine = cell.settings.text(KnobId::engine);  // empty: the mock loader's
    for (const auto& [kind, probe] : loading_) {
      if (!engine.empty() && !kind.starts_with(engine + '\n')) continue;
      kinds += 1.0;
      mean.seconds += probe.overhead();
      mean.step += probe.step / probe.batch;
    }
    if (kinds == 0.0) return std::nullopt;
    return Probe{mean.seconds / kinds, mean.step / kinds, 1.0, 0};
  }

  [[nodiscard]] std::optional<double> seconds_of(const Cell& cell) const {
    if (!cell.skip_reason.empty()) return std::nullopt;
    const CellSpec spec = make_cell_spec(cell.settings, measure_.seed);
    const auto steps = static_cast<double>(protocol_of(spec, measure_).total_steps());
    const std::optional<double> train = step_of(cell, spec, steps);
    const std::optional<Probe> probe = loading_of(cell);
    if (!train || !probe) return std::nullopt;
    const auto workers = static_cast<double>(spec.cached_loader ? 0 : spec.loader.num_workers);
    const double cpus = std::max(1.0, usable_cpus() / static_cast<double>(spec.job.ranks));
    const double batch = static_cast<double>(cell.settings.count(KnobId::batch_size, 1));
    const double load = batch * probe->step / probe->batch;  // by one worker with a whole CPU
    const double wait = spec.cached_loader ? 0.0 : load / std::clamp(workers, 1.0, cpus);
    // Where the device is a CPU, steps and workers take turns on it.
    const bool in_turns = workers == 0.0 || spec.device == kCpuDevice;
    const double step = in_turns ? wait + *train : std::max(wait, *train);
    const auto kind = workers_.find(start_kind(cell.settings));
    const double worker = kind == workers_.end() ? 0.0 : kind->second;
    const auto epochs = static_cast<double>(spec.cached_loader ? 0 : measure_.epochs);
    const double starts = spec.asked.persistent_workers ? 1.0 : 1.0 + epochs;
    const double turns = turns_of(workers, spec.job.ranks);
    const double first_batch = load * std::max(1.0, turns);
    const auto ranks = ranks_.find(static_cast<std::int64_t>(spec.job.ranks));
    return static_cast<double>(measure_.repeats.least) *
           (probe->overhead() + step_overhead(cell, *probe) +
            (ranks == ranks_.end() ? 0.0 : ranks->second) + starts * turns * worker +
            (1.0 + epochs) * first_batch + steps * step);
  }

  const MeasureConfig& measure_;
  const std::vector<Cell>& plan_;
  double budget_;
  std::stop_token stop_;
  std::ostringstream silence_;
  Console quiet_;
  Sampled sampled_;
  SteadyClock clock_;
  Nanos begin_{};
  std::optional<Workbench> bench_;
  std::unique_ptr<CellEngine> engine_;
  std::map<std::string, Probe> loading_;
  std::map<std::string, double> workers_;  // seconds per turn, by start_kind()
  std::map<std::int64_t, double> ranks_;   // seconds per start, by the number of ranks
  std::map<std::string, Probe> steps_;
  TimeEstimate result_;
};

}  // namespace

TimeEstimate estimate_time(const SweepConfig& config, const std::vector<Cell>& plan, double budget,
                           Console& console) {
  return Estimator(config, plan, budget, console).estimate();
}

}  // namespace feedrate
