#include "bench/commands/sweep.h"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/dataset_shelf.h"
#include "bench/engines/native_engine.h"
#include "bench/environment.h"
#include "bench/plan/plan.h"
#include "bench/runner.h"
#include "bench/sweep_progress.h"
#include "core/error.h"
#include "host/cpu.h"
#include "host/slurm.h"
#include "report/best.h"
#include "report/run_writer.h"
#include "report/table.h"

namespace feedrate {
namespace {

using Shelf = std::map<std::string, ShelvedDataset>;

std::string utc_now(const char* format) {
  return fmt::format(fmt::runtime(format), fmt::gmtime(std::time(nullptr)));
}

std::filesystem::path results_folder(const SweepOptions& options, const SweepConfig& config) {
  if (!options.out.empty()) return options.out;
  return std::filesystem::path("feedrate-results") /
         fmt::format("{}-{}", config.name, utc_now("{:%Y%m%dT%H%M%SZ}"));
}

RunResult begin_run(const SweepOptions& options, const SweepConfig& config,
                    const std::vector<Cell>& plan) {
  RunResult run;
  run.config_name = config.name;
  run.question = config.question;
  run.config_text = config.text;
  run.started_at = utc_now("{:%Y-%m-%dT%H:%M:%SZ}");
  run.command = options.command_line;
  run.jobid = slurm_job_id();
  run.interrupted = true;  // what the files say if the runner does not get to its end
  run.axes = varying_axes(config);
  for (const Cell& cell : plan) {
    CellResult result;
    result.index = cell.index;
    result.settings = cell.settings;
    result.outcome = cell.skip_reason.empty() ? Outcome::kPending : Outcome::kSkipped;
    result.reason = cell.skip_reason;
    run.cells.push_back(std::move(result));
  }
  return run;
}

NativeEngineOptions engine_options(const SweepConfig& config, const Shelf& shelf,
                                   const std::function<void(const std::string&)>& on_damaged) {
  NativeEngineOptions options;
  options.datasets = shelf;
  options.pipeline = config.pipeline;
  options.measure = config.measure;
  if (config.dataset.skip_damaged) options.on_damaged = on_damaged;
  return options;
}

void describe(RunResult& run, const SweepConfig& config,
              const std::map<std::string, DeviceInfo>& devices, const Shelf& shelf) {
  run.environment = machine_environment(config.dataset.path);
  run.environment.facts.push_back(
      {"engine", "native: feedrate's own readers, decoders and loaders; workers are threads"});
  add_devices(run, devices);
  for (const auto& [format, dataset] : shelf) {
    add_dataset(run, format, dataset.records, dataset.bytes);
  }
  add_plan_doubts(run, config.measure.steps, config.measure.repeats);
}

int exit_code(const RunResult& run) {
  if (run.interrupted) return kExitInterrupted;
  const bool any_failed =
      std::any_of(run.cells.begin(), run.cells.end(),
                  [](const CellResult& cell) { return cell.outcome == Outcome::kFailed; });
  return any_failed ? kExitCellFailed : kExitOk;
}

void print_results(const RunResult& run, Console& console) {
  print_table(console.out, run, TableStyle::kTerminal);
  console.out << '\n';
  print_best(console.out, run);
  console.out.flush();
}

void measure(RunResult& run, const SweepConfig& config, const Shelf& shelf, const RunWriter& writer,
             Console& console) {
  SweepProgress progress(console, run);
  SteadyClock clock;
  const auto engine = make_native_engine(
      engine_options(config, shelf, [&](const std::string& what) { progress.damaged(what); }),
      clock);
  Runner runner({config.measure.repeats, config.measure.seed, config.measure.cell_timeout}, *engine,
                {[&](const RunnerProgress& now) { progress.begin(now); },
                 [&](const RunnerProgress& now) {
                   progress.end(now);
                   writer.write(run);
                 }});
  runner.run(run, console.stop);
  if (const std::size_t damaged = progress.damaged_records(); damaged > 0) {
    run.environment.doubts.push_back(fmt::format(
        "{} records were damaged and replaced by zeros, which cost no decoding.", damaged));
  }
  progress.finish(run);
  writer.write(run);
}

}  // namespace

int run_sweep(const SweepOptions& options, Console& console) {
  const SweepConfig config = load_sweep(options.config, options.overrides);
  const std::vector<Cell> plan =
      make_plan(config, {parse_only(options.overrides), static_cast<std::size_t>(usable_cpus())});
  const std::map<std::string, DeviceInfo> devices = look_at_devices(plan);
  require_dataset(config.dataset);
  const std::filesystem::path folder = results_folder(options, config);
  const RunWriter writer(folder);
  RunResult run = begin_run(options, config, plan);
  // Complete files from here on, whatever ends the program.
  describe(run, config, devices, {});
  writer.write(run);

  const Shelf shelf = shelve_datasets(config, plan, console);
  describe(run, config, devices, shelf);
  try {
    measure(run, config, shelf, writer, console);
  } catch (const SystemError&) {  // A full disk, say: what was measured is not lost.
    print_results(run, console);
    throw;
  }
  print_results(run, console);
  console.out << fmt::format("\nWritten: {}/cells.csv, run.json, table.md\n", folder.string());
  return exit_code(run);
}

}  // namespace feedrate
