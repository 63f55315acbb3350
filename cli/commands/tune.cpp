// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/tune.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "analysis/limits.h"
#include "analysis/report/load_run.h"
#include "analysis/report/recommended.h"
#include "analysis/report/rescue.h"
#include "analysis/report/run_writer.h"
#include "analysis/tuner/recommendation.h"
#include "analysis/tuner/recommendation_json.h"
#include "analysis/warnings.h"
#include "bench/engines/ranked/launched_job.h"
#include "bench/plan/present.h"
#include "bench/resume.h"
#include "bench/tune_cells.h"
#include "bench/tune_loader.h"
#include "bench/tune_runner.h"
#include "bench/workbench.h"
#include "core/error.h"
#include "core/format.h"
#include "core/host/cpu.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

SweepConfig load_tune(const TuneOptions& options) {
  SweepConfig config = load_sweep(options.config, options.overrides);
  if (options.engine != TuneEngine::kAuto) {
    const char* const engine = options.engine == TuneEngine::kTorch ? "torch" : "native";
    override_axis(config, {"engine", {std::string(engine)}});
  }
  fit_to_tune(config, options.budget_seconds, options.overrides.steps.has_value());
  return config;
}

std::optional<RunResult> load_earlier(const std::filesystem::path& folder,
                                      const SweepConfig& config) {
  if (!has_run_in(folder)) return std::nullopt;
  RunResult earlier = load_run(folder);
  return earlier.config_text == config.text ? std::optional(std::move(earlier)) : std::nullopt;
}

// Prints what is measured and why, the current answer and the time left to stderr.
class TuneProgress {
 public:
  TuneProgress(Console& console, const std::vector<Candidate>& candidates, std::size_t probes,
               double budget_seconds)
      : console_(console), probes_(probes), varying_(varying_settings(candidates)) {
    console_.err << fmt::format("tune: {} candidate settings; budget {}, {} probes first\n",
                                candidates.size(), format_duration(budget_seconds), probes);
  }

  // The following starts verify with PyTorch's DataLoader.
  void begin_verifying() {
    probed_ = 0;
    probes_ = 1;
    console_.err << "verifying with PyTorch's DataLoader\n";
  }

  void begin(const TuneStep& step) {
    if (step.request.stage == Stage::kProbe) ++probed_;
    if (!console_.err_is_terminal) return;
    console_.err << fmt::format("\r{} …\033[K", title(step)) << std::flush;
  }

  void end(const TuneStep& step) {
    const CellResult& cell = step.cell;
    const bool failed = cell.outcome == Outcome::kFailed;
    const double* const rate =
        failed ? nullptr : find_metric(cell.repeats.back().metrics, "samples_per_second");
    const std::string outcome = failed ? "failed: " + cell.reason
                                : rate ? format_value(*rate, Unit::kSamplesPerSecond)
                                       : std::string(kMissing);
    console_.err << fmt::format("{}{}: {}{} · {} left{}\n", console_.err_is_terminal ? "\r" : "",
                                title(step), outcome, standing(step.tuner),
                                format_duration(std::max(0.0, step.seconds_left)),
                                console_.err_is_terminal ? "\033[K" : "");
    console_.err.flush();
  }

 private:
  std::string title(const TuneStep& step) const {
    const CellResult& cell = step.cell;
    const std::string stage =
        step.request.stage == Stage::kProbe
            ? fmt::format("{} {}/{}", to_string(step.request.stage), probed_, probes_)
            : std::string(to_string(step.request.stage));
    const char* const mock = setting_text(cell, "loader") == "cached"     ? " loader=cached"
                             : setting_text(cell, "trainer") == "discard" ? " trainer=discard"
                                                                          : "";
    return fmt::format("[{}] {}{}", stage, name_cell(cell, varying_), mock);
  }

  std::string standing(const Tuner& tuner) const {
    const std::optional<Decision> decision = tuner.decision();
    if (!decision) return {};
    CellResult best;
    best.settings = tuner.candidates()[decision->recommended.candidate].settings;
    return fmt::format(" · best so far {}, confidence {:.0f} %", name_cell(best, varying_),
                       100.0 * decision->confidence);
  }

  Console& console_;
  std::size_t probes_;
  const std::vector<std::string> varying_;  // names the candidates
  std::size_t probed_ = 0;
};

TuneEvents tune_events(RunWriter& writer, RunResult& run, TuneProgress& progress) {
  return {[&](const TuneStep& step) {
            progress.begin(step);
            writer.begin(step.cell);
          },
          [&](const TuneStep& step) {
            progress.end(step);
            writer.forget_kills();
            writer.write(run);
          },
          [&] { progress.begin_verifying(); }};
}

void measure_tune(TuneRunner& runner, const Workbench& bench, RunWriter& writer, RunResult& run,
                  Console& console) try {
  DamagedRecords damaged;
  SteadyClock clock;
  EngineEvents events;
  events.on_damaged = [&](const std::string& what) { damaged.add(what); };
  events.on_warning = [&](const std::string& warning) { add_warning(run, warning); };
  runner.run(*bench.make_engine(events, clock), console.stop);
  damaged.warn(run);
  judge_by_limits(run);
  writer.write(run);
} catch (const SystemError&) {
  judge_by_limits(run);
  console.err << rescue_text(rescue_run(run, rescue_places())) << '\n';
  throw;
}

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
  if (earlier) take_earlier_cells(run, *earlier);
  fail_cells_that_kill(run, writer.killed_in(), "a tune with another --out retries it");
  writer.write(run);

  TuneProgress progress(console, cells.candidates, cells.probes.size(), options.budget_seconds);
  TuneRunner runner(config, cells, guard,
                    {options.confidence, options.tolerance, options.objective, {}},
                    options.budget_seconds, run, tune_events(writer, run, progress));
  measure_tune(runner, bench, writer, run, console);
  const std::string found = tell_findings(options, runner.tuner(), run, folder, writer, console);
  if (options.json) all.out << found;
  console.out << fmt::format(
      "\n"
      "Written: {0}/{2}cells.csv, run.json, table.md\n"
      "To continue: feedrate tune {1} --out {0}\n",
      folder.string(), options.config.string(), found.empty() ? "" : "recommendation.json, ");
  const int code = exit_code_of(run);
  return code == kExitOk && found.empty() ? kExitCellFailed : code;
}

}  // namespace feedrate
