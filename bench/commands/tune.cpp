#include "bench/commands/tune.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bench/plan/present.h"
#include "bench/ranks/launched_job.h"
#include "bench/runner.h"
#include "bench/tune_cells.h"
#include "bench/tune_progress.h"
#include "bench/workbench.h"
#include "core/error.h"
#include "host/cpu.h"
#include "report/durable_file.h"
#include "report/limits.h"
#include "report/load_run.h"
#include "report/rescue.h"
#include "report/run_writer.h"
#include "tuner/model_check.h"
#include "tuner/recommendation.h"
#include "tuner/recommendation_json.h"
#include "tuner/tuner.h"

namespace feedrate {
namespace {

// A start more says more than steps more (docs/measurement.md, trap 4).
constexpr std::size_t kSteps = 60;

// Steps are then to be whole pools of batches (docs/formats.md), as whoever wrote the sweep knows.
bool groups_by_length(const SweepConfig& config) {
  return std::any_of(config.axes.begin(), config.axes.end(), [](const Axis& axis) {
    return axis.name == "group_by_length" &&
           std::count(axis.values.begin(), axis.values.end(), SettingValue(true)) > 0;
  });
}

SweepConfig load_tune(const TuneOptions& options) {
  SweepConfig config = load_sweep(options.config, options.overrides);
  if (!options.overrides.steps && !groups_by_length(config)) {
    config.measure.steps = std::min(config.measure.steps, kSteps);
  }
  config.measure.epochs = 0;  // What a start costs shows in the long epoch's first batch.
  return config;
}

CellResult& cell_with(RunResult& run, const Settings& settings) {
  const auto found = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& cell) {
    return cell.outcome != Outcome::kSkipped && cell.settings == settings;
  });
  return *found;
}

bool is_known(const CellResult& cell) {
  return cell.outcome == Outcome::kOk || cell.outcome == Outcome::kFailed;
}

// What lies in the folder already; nothing in a new one, or one that was just created.
std::optional<RunResult> load_earlier(const std::filesystem::path& folder,
                                      const SweepConfig& config) {
  std::error_code none;
  const auto size = std::filesystem::file_size(folder / "run.json", none);
  if (none || size == 0) return std::nullopt;
  RunResult earlier = load_run(folder);
  if (earlier.config_text == config.text) return earlier;
  throw ConfigError(fmt::format("{}: holds results of another configuration; give another --out",
                                folder.string()));
}

// Cells that this tune has not are kept behind its own.
void take_over(RunResult& run, const RunResult& earlier) {
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
                           const TuneCells& cells) {
  TunerOptions tuner;
  tuner.aims = {options.confidence, options.tolerance, options.objective, cells.present,
                config.measure.seed};
  tuner.steps = config.measure.steps;
  tuner.cores = usable_cpus();
  return tuner;
}

// Measures what the tuner asks for until it is done, the budget ends or Ctrl-C.
class Session {
 public:
  Session(const TuneOptions& options, const SweepConfig& config, RunWriter& writer, RunResult& run,
          const TuneCells& cells, const MemoryGuard& guard, Console& console)
      : config_(config),
        writer_(writer),
        run_(run),
        guard_(guard),
        console_(console),
        budget_(options.budget_seconds),
        tuner_(cells.candidates, cells.probes, tuner_options(options, config, cells)),
        progress_(console, cells.candidates, cells.probes.size(), options.budget_seconds) {
    for (const CellResult& cell : run_.cells) {
      if (is_known(cell)) tuner_.add(cell, 0.0);
    }
  }

  void measure(const Workbench& bench) {
    EngineEvents events;
    events.on_damaged = [this](const std::string& what) { progress_.damaged(what); };
    events.on_doubt = [this](const std::string& doubt) { add_doubt(run_, doubt); };
    const auto engine = bench.make_engine(events, clock_);
    const Nanos start = clock_.now();
    const auto left = [&] { return budget_ - to_seconds(clock_.now() - start); };
    while (!console_.stop.stop_requested()) {
      const std::optional<StartRequest> request = tuner_.next(left());
      if (!request) break;
      measure_one(*request, *engine, left);
    }
    run_.interrupted = console_.stop.stop_requested();
    if (const std::size_t damaged = progress_.damaged_records(); damaged > 0) {
      add_doubt(run_, fmt::format(
                          "{} records were damaged and replaced by zeros, which cost no decoding.",
                          damaged));
    }
    judge_by_limits(run_);
    writer_.write(run_);
  }

  [[nodiscard]] const Tuner& tuner() const { return tuner_; }

 private:
  template <typename Left>
  void measure_one(const StartRequest& request, CellEngine& engine, const Left& left) {
    CellResult& cell = cell_with(run_, request.settings);
    progress_.begin(request, cell);
    const double before = left();
    measure_start(
        cell, engine,
        {{1, 1}, config_.measure.seed, config_.measure.cell_timeout, config_.measure.au_threshold},
        console_.stop);
    if (console_.stop.stop_requested()) return;
    guard_.add_prediction(cell);
    tuner_.add(cell, before - left());
    progress_.end(request, cell, tuner_, left());
    writer_.write(run_);
  }

  const SweepConfig& config_;
  RunWriter& writer_;
  RunResult& run_;
  const MemoryGuard& guard_;
  Console& console_;
  const double budget_;
  SteadyClock clock_;
  Tuner tuner_;
  TuneProgress progress_;
};

// True if there is something to recommend.
bool tell_findings(const TuneOptions& options, const Tuner& tuner, const RunResult& run,
                   const std::filesystem::path& folder, Console& console) {
  const std::optional<Decision> decision = tuner.decision();
  if (!decision) {
    console.out << "No recommendation yet: the probes are not complete.\n";
    return false;
  }
  const std::vector<double> expected = tuner.expected_rates();
  const Findings findings{*decision, tuner.candidates(), expected, run, options.confidence};
  print_recommendation(console.out, findings);
  replace_file(folder / "recommendation.json", recommendation_json(findings));
  return true;
}

}  // namespace

int run_tune(const TuneOptions& options, Console& console) {
  require_no_job("tune");
  const SweepConfig config = load_tune(options);
  const TuneLimits limits{parse_present(options.present), options.max_host_mem,
                          static_cast<std::size_t>(usable_cpus())};
  const std::vector<Cell> plan = with_present(
      config, make_plan(config, {parse_only(options.overrides), limits.usable_cpus}), limits);
  Workbench bench(config, plan, {}, console);
  const std::filesystem::path folder = results_folder(options.out, config.name + "-tune");
  const std::optional<RunResult> earlier = load_earlier(folder, config);
  const SteadyClock clock;
  RunWriter writer(folder, clock);
  bench.shelve(console);
  std::string problem;  // Its cells fail with it, and say so.
  const MemoryGuard guard = make_memory_guard(config, problem);
  const TuneCells cells = make_tune_cells(config, plan, limits, guard);
  RunResult run = begin_run(config, cells.cells, options.command_line);
  bench.describe(run);
  if (earlier) take_over(run, *earlier);
  writer.write(run);

  Session session(options, config, writer, run, cells, guard, console);
  try {
    session.measure(bench);
  } catch (const SystemError&) {  // As in a sweep.
    judge_by_limits(run);
    console.err << rescue_text(rescue_run(run, rescue_places())) << '\n';
    throw;
  }
  const bool found = tell_findings(options, session.tuner(), run, folder, console);
  console.out << fmt::format(
      "\nWritten: {0}/{2}cells.csv, run.json, table.md\nTo go on: feedrate tune {1} --out {0}\n",
      folder.string(), options.config.string(), found ? "recommendation.json, " : "");
  const int code = exit_code_of(run);
  return code == kExitOk && !found ? kExitCellFailed : code;
}

int run_model_check(const ModelCheckOptions& options, Console& console) {
  const RunResult run = load_run(options.run);
  const double cores = options.cores > 0.0 ? options.cores : usable_cpus();
  print_model_check(console.out, check_model(run, cores));
  return kExitOk;
}

}  // namespace feedrate
