// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/tune.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "analysis/foreign_load.h"
#include "analysis/limits.h"
#include "analysis/report/load_run.h"
#include "analysis/report/recommended.h"
#include "analysis/report/rescue.h"
#include "analysis/report/run_writer.h"
#include "analysis/tuner/model_check.h"
#include "analysis/tuner/recommendation.h"
#include "analysis/tuner/recommendation_json.h"
#include "analysis/tuner/replayable.h"
#include "analysis/tuner/transferred.h"
#include "analysis/tuner/tuner.h"
#include "analysis/warnings.h"
#include "analysis/whose_loader.h"
#include "bench/engines/ranked/launched_job.h"
#include "bench/plan/present.h"
#include "bench/plan/protocol_options.h"
#include "bench/resume.h"
#include "bench/runner.h"
#include "bench/tune_cells.h"
#include "bench/workbench.h"
#include "cli/commands/tune_loader.h"
#include "cli/tune_progress.h"
#include "core/error.h"
#include "core/host/cpu.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

// More starts tell more than more steps (docs/measurement.md, trap 4).
constexpr std::size_t kSteps = 60;
// Share of the budget for the steps of one start: about seven probes and as many further starts.
constexpr double kWindowShare = 0.04;

// With group_by_length, steps must be whole pools of batches (docs/formats.md), so the sweep's
// number stays.
bool groups_by_length(const SweepConfig& config) {
  return std::any_of(config.axes.begin(), config.axes.end(), [](const Axis& axis) {
    return axis.name == "group_by_length" &&
           std::count(axis.values.begin(), axis.values.end(), SettingValue(true)) > 0;
  });
}

// The model predicts a step from its number of samples.
void require_batch_size(const SweepConfig& config) {
  for (const Axis& axis : config.axes) {
    const bool has_null = axis.name == "batch_size" &&
                          std::count(axis.values.begin(), axis.values.end(), SettingValue("null"));
    if (has_null) {
      throw ConfigError(
          "batch_size null: tune cannot predict it; use feedrate sweep, or let "
          "DataLoader make the batches");
    }
  }
}

SweepConfig load_tune(const TuneOptions& options) {
  SweepConfig config = load_sweep(options.config, options.overrides);
  require_batch_size(config);
  if (options.engine != TuneEngine::kAuto) {
    const char* const engine = options.engine == TuneEngine::kTorch ? "torch" : "native";
    override_axis(config, {"engine", {std::string(engine)}});
  }
  if (!options.overrides.steps && !groups_by_length(config)) {
    config.measure.steps = std::min(config.measure.steps, kSteps);
    config.measure.window_limit = from_seconds(kWindowShare * options.budget_seconds);
  }
  config.measure.epochs = 0;  // the cost of a start shows in the first batch of the long epoch
  return config;
}

CellResult& cell_with(RunResult& run, const Settings& settings) {
  const auto found = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& cell) {
    return cell.outcome != Outcome::kSkipped && cell.settings == settings;
  });
  if (found == run.cells.end()) throw Error("the tune has no cell of the settings it asks for");
  return *found;
}

bool is_known(const CellResult& cell) {
  return cell.outcome == Outcome::kOk || cell.outcome == Outcome::kFailed;
}

std::optional<RunResult> load_earlier(const std::filesystem::path& folder,
                                      const SweepConfig& config) {
  if (!has_run_in(folder)) return std::nullopt;
  RunResult earlier = load_run(folder);
  return earlier.config_text == config.text ? std::optional(std::move(earlier)) : std::nullopt;
}

void merge_earlier(RunResult& run, const RunResult& earlier) {
  for (const CellResult& cell : earlier.cells) {
    if (!is_known(cell)) continue;
    const auto same = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& own) {
      return own.outcome == Outcome::kPending && own.settings == cell.settings;
    });
    const bool is_new = same == run.cells.end();
    CellResult& taken = is_new ? run.cells.emplace_back() : *same;
    const std::size_t index = is_new ? run.cells.size() - 1 : taken.index;
    taken = cell;
    taken.index = index;
  }
}

TunerOptions tuner_options(const TuneOptions& options, const SweepConfig& config,
                           std::optional<std::size_t> present) {
  TunerOptions tuner;
  tuner.goals = {options.confidence, options.tolerance, options.objective, present,
                 config.measure.seed};
  tuner.steps = config.measure.steps;
  tuner.least_steps = ProtocolOptions::kLeastSteps;
  if (config.measure.window_limit) {
    tuner.window_seconds = to_seconds(*config.measure.window_limit);
  }
  tuner.cores = usable_cpus();
  return tuner;
}

// Measures what the tuners request until they are done, the budget ends or Ctrl-C. If PyTorch's
// DataLoader verifies, one tuner explores, and a second one verifies with the knowledge of the
// first.
class TuneRun {
 public:
  TuneRun(const TuneOptions& options, const SweepConfig& config, RunWriter& writer, RunResult& run,
          const TuneCells& cells, const MemoryGuard& guard, Console& console)
      : options_(options),
        config_(config),
        writer_(writer),
        run_(run),
        cells_(cells),
        guard_(guard),
        console_(console),
        explorer_(cells.candidates, cells.probes,
                  // the present settings matter only to verification
                  tuner_options(options, config, verifies() ? std::nullopt : cells.present)),
        progress_(console, cells.candidates, cells.probes.size(), options.budget_seconds) {
    take_earlier(explorer_,
                 [this](const CellResult& cell) { return !verifies() || !is_pytorch(cell); });
  }

  void measure(const Workbench& bench) {
    EngineEvents events;
    events.on_damaged = [this](const std::string& what) { progress_.damaged(what); };
    events.on_warning = [this](const std::string& warning) { add_warning(run_, warning); };
    const auto engine = bench.make_engine(events, clock_);
    begin_ = clock_.now();
    pursue(explorer_, *engine, [this] { return left_to_explore(); });
    if (verifies() && explorer_.decision()) {
      begin_verifying();
      pursue(*verifier_, *engine, [this] { return left(); });
    }
    run_.interrupted = console_.stop.stop_requested();
    if (const std::size_t damaged = progress_.damaged_records(); damaged > 0) {
      add_warning(
          run_,
          fmt::format("{} damaged records were replaced by zeros, which take no time to decode.",
                      damaged));
    }
    judge_by_limits(run_);
    writer_.write(run_);
  }

  [[nodiscard]] const Tuner& tuner() const {
    return verifier_ && verifier_->decision() ? *verifier_ : explorer_;
  }

 private:
  using SecondsLeft = std::function<double()>;

  [[nodiscard]] bool verifies() const { return !cells_.finalists.empty(); }

  [[nodiscard]] double left() const {
    return options_.budget_seconds - to_seconds(clock_.now() - begin_);
  }

  // Reserves time for PyTorch's loader: its starts take longer, and the answer depends on them.
  [[nodiscard]] double left_to_explore() const {
    constexpr double kForVerifying = 0.6;
    const bool may_verify = verifies() && explorer_.decision();
    return left() - (may_verify ? kForVerifying * options_.budget_seconds : 0.0);
  }

  template <typename Wanted>
  void take_earlier(Tuner& tuner, const Wanted& wanted) {
    for (const CellResult& cell : run_.cells) {
      if (is_known(cell) && wanted(cell)) tuner.add(cell, 0.0);
    }
  }

  void begin_verifying() {
    TunerOptions options = tuner_options(options_, config_, cells_.present);
    options.predict = transferred(explorer_.predictions());
    const std::size_t best = explorer_.decision()->recommended.candidate;
    verifier_.emplace(cells_.finalists, std::vector<Settings>{cells_.finalists[best].settings},
                      options);
    take_earlier(*verifier_, is_pytorch);
    progress_.begin_verifying();
  }

  void pursue(Tuner& tuner, CellEngine& engine, const SecondsLeft& left) {
    while (!console_.stop.stop_requested()) {
      const std::optional<StartRequest> request = tuner.next(left());
      if (!request) break;
      measure_one(tuner, *request, engine);
    }
  }

  void measure_one(Tuner& tuner, const StartRequest& request, CellEngine& engine) {
    CellResult& cell = cell_with(run_, request.settings);
    progress_.begin(request, cell);
    const double before = left();
    const std::size_t starts = cell.repeats.size();
    writer_.begin(cell);
    measure_start(
        cell, engine,
        {{1, 1}, config_.measure.seed, config_.measure.cell_timeout, config_.measure.au_threshold},
        console_.stop);
    if (console_.stop.stop_requested()) return;
    if (cell.repeats.size() > starts) cell.repeats.back().round = request.round;
    guard_.add_prediction(cell);
    tuner.add(cell, before - left());
    progress_.end(request, cell, tuner, left());
    writer_.forget_kills();
    writer_.write(run_);
  }

  const TuneOptions& options_;
  const SweepConfig& config_;
  RunWriter& writer_;
  RunResult& run_;
  const TuneCells& cells_;
  const MemoryGuard& guard_;
  Console& console_;
  SteadyClock clock_;
  Nanos begin_{};
  Tuner explorer_;
  std::optional<Tuner> verifier_;
  TuneProgress progress_;
};

void print_warnings(std::ostream& out, const RunResult& run) {
  const std::vector<std::string> warnings = largest_first(warnings_of(run));
  if (warnings.empty()) return;
  out << "\nWarnings:\n";
  for (const std::string& warning : warnings) out << fmt::format("  {}\n", warning);
}

// Prints the answer and writes it to recommendation.json and the results. Returns the text of that
// file; empty without an answer.
std::string tell_findings(const TuneOptions& options, const Tuner& tuner, RunResult& run,
                          const std::filesystem::path& folder, RunWriter& writer,
                          Console& console) {
  const std::optional<Decision> decision = tuner.decision();
  if (!decision) {
    console.out << "No recommendation yet: the probes are not complete.\n";
    print_warnings(console.out, run);
    return {};
  }
  const std::vector<RateOf> rates = tuner.rates();
  const Findings findings{*decision, tuner.candidates(), rates, run, options.confidence};
  print_recommendation(console.out, findings);
  print_warnings(console.out, run);
  run.recommended = recommended_of(findings);
  writer.write(run);
  std::string json = recommendation_json(findings);
  replace_file(folder / kRecommendationFile, json);
  return json;
}

}  // namespace

int run_tune(const TuneOptions& options, Console& all) {
  Console console = options.json ? all.on_err() : all;
  require_no_job("tune");
  SweepConfig config = load_tune(options);
  TuneLimits limits{parse_present(options.present), options.max_host_mem,
                    static_cast<std::size_t>(usable_cpus())};
  const auto make_cells = [&] {
    return with_present(
        config, make_plan(config, {parse_only(options.overrides), limits.usable_cpus}), limits);
  };
  static_cast<void>(make_cells());  // fails early on a wrong plan
  if (!config.dataset.is_own()) require_dataset(config.dataset);
  limits.verifies = choose_tune_loader(config, console);
  Workbench bench(config, make_cells(), {}, console);
  const std::filesystem::path folder = results_folder(options.out, config.name + "-tune");
  const std::optional<RunResult> earlier =
      options.force ? std::nullopt : load_earlier(folder, config);
  const SteadyClock clock;
  RunWriter writer(folder, clock,
                   options.force ? EarlierRun::kReplace
                   : earlier     ? EarlierRun::kContinue
                                 : EarlierRun::kRefuse);
  bench.prepare_dataset(console);
  std::string problem;
  const MemoryGuard guard = make_memory_guard(config, problem);
  const TuneCells cells = make_tune_cells(config, bench.plan(), limits, guard);
  RunResult run = begin_run(config, cells.cells, options.command_line);
  bench.describe(run);
  if (earlier) merge_earlier(run, *earlier);
  fail_cells_that_kill(run, writer.killed_in(), "a tune with another --out retries it");
  writer.write(run);

  TuneRun session(options, config, writer, run, cells, guard, console);
  try {
    session.measure(bench);
  } catch (const SystemError&) {
    judge_by_limits(run);
    console.err << rescue_text(rescue_run(run, rescue_places())) << '\n';
    throw;
  }
  const std::string found = tell_findings(options, session.tuner(), run, folder, writer, console);
  if (options.json) all.out << found;
  console.out << fmt::format(
      "\n"
      "Written: {0}/{2}cells.csv, run.json, table.md\n"
      "To continue: feedrate tune {1} --out {0}\n",
      folder.string(), options.config.string(), found.empty() ? "" : "recommendation.json, ");
  const int code = exit_code_of(run);
  return code == kExitOk && found.empty() ? kExitCellFailed : code;
}

int run_model_check(const ModelCheckOptions& options, Console& console) {
  const RunResult run = load_run(options.run);
  require_replayable(run, options.run.string());
  const double cores = options.cores > 0.0 ? options.cores : usable_cpus();
  const std::vector<CheckedCell> checked = check_model(run, cores);
  if (checked.empty()) {
    throw ConfigError(
        fmt::format("{}: has no measured cell that the model can predict; must be a sweep with a "
                    "loader and a trainer",
                    options.run.string()));
  }
  print_model_check(console.out, checked);
  return kExitOk;
}

}  // namespace feedrate
