#include "bench/commands/sweep.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/environment.h"
#include "bench/memory_guard.h"
#include "bench/plan/limit_cells.h"
#include "bench/runner.h"
#include "bench/sweep_progress.h"
#include "bench/workbench.h"
#include "core/error.h"
#include "host/cpu.h"
#include "report/best.h"
#include "report/limits.h"
#include "report/load_run.h"
#include "report/run_writer.h"
#include "report/table.h"

namespace feedrate {
namespace {

void print_results(const RunResult& run, Console& console) {
  print_table(console.out, run, TableStyle::kTerminal);
  console.out << '\n';
  print_best(console.out, run);
  console.out.flush();
}

void measure(RunResult& run, const SweepConfig& config, const Workbench& bench,
             const MemoryGuard& guard, RunWriter& writer, ProfileWriter* profiles,
             Console& console) {
  SweepProgress progress(console, run);
  SteadyClock clock;
  EngineEvents events;
  events.on_damaged = [&](const std::string& what) { progress.damaged(what); };
  events.on_doubt = [&run](const std::string& doubt) { add_doubt(run, doubt); };
  if (profiles) events.on_profile = [=](const RunProfile& one) { profiles->take(one); };
  const auto engine = bench.make_engine(events, clock);
  Runner runner({config.measure.repeats, config.measure.seed, config.measure.cell_timeout}, *engine,
                {[&](const RunnerProgress& now) {
                   progress.begin(now);
                   if (profiles) profiles->begin(*now.cell);
                 },
                 [&](const RunnerProgress& now) {
                   guard.add_prediction(run.cells.at(now.cell->index));
                   writer.record(run, *now.cell, [&run] { judge_by_limits(run); });
                   progress.end(now);
                 }});
  runner.run(run, console.stop);
  if (const std::size_t damaged = progress.damaged_records(); damaged > 0) {
    run.environment.doubts.push_back(fmt::format(
        "{} records were damaged and replaced by zeros, which cost no decoding.", damaged));
  }
  progress.finish(run);
  judge_by_limits(run);
  writer.write(run);
}

struct Sweep {
  SweepConfig config;
  std::vector<Cell> plan;
  RunResult run;
};

std::vector<Cell> plan_of(const SweepConfig& config, const SweepOverrides& overrides) {
  return make_plan_with_limits(config,
                               {parse_only(overrides), static_cast<std::size_t>(usable_cpus())});
}

Sweep new_sweep(const SweepOptions& options) {
  SweepConfig config = load_sweep(options.config, options.overrides);
  std::vector<Cell> plan = plan_of(config, options.overrides);
  RunResult run = begin_run(config, plan, options.command_line);
  run.overrides = to_texts(options.overrides);
  return {std::move(config), std::move(plan), std::move(run)};
}

// REQUIRES: nobody else writes into the folder meanwhile.
Sweep resumed_sweep(const SweepOptions& options) {
  RunResult run = load_run(options.resume.folder);
  const SweepOverrides overrides = resumed_overrides(options, run);
  SweepConfig config = load_stored_sweep(run, overrides);
  std::vector<Cell> plan = plan_of(config, overrides);
  require_same_plan(run, plan, options.resume.folder);
  plan_skipped_cells(run, plan);
  if (options.resume.retry_failed) retry_failed_cells(run);
  run.overrides = to_texts(overrides);
  run.interrupted = true;
  const std::string now = begin_run(config, {}, {}).started_at;
  run.environment.facts.push_back({fmt::format("resumed {}", now), options.command_line});
  std::erase(run.environment.doubts, kOneStartOnly);
  return {std::move(config), std::move(plan), std::move(run)};
}

}  // namespace

int run_sweep(const SweepOptions& options, Console& console) {
  const SteadyClock clock;
  std::optional<RunWriter> writer;
  if (options.resume.is_wanted()) {
    require_run_in(options.resume.folder);
    writer.emplace(options.resume.folder, clock, EarlierRun::kContinue);
  }
  auto [config, plan, run] = writer ? resumed_sweep(options) : new_sweep(options);
  Workbench bench(config, plan, {.trace = options.profile.trace}, console);
  const std::filesystem::path folder =
      options.resume.is_wanted() ? options.resume.folder : results_folder(options.out, config.name);
  const Environment before = run.environment;
  bench.describe(run);
  run.environment = continued_environment(before, run.environment, options.resume);
  if (!writer) {
    writer.emplace(folder, clock);
    // Complete files from here on, whatever ends the program.
    writer->write(run);
  }
  std::optional<ProfileWriter> profiles;
  if (options.profile.trace || options.profile.summary) {
    ProfileOptions wanted = options.profile;
    wanted.keep_earlier = options.resume.is_wanted();
    profiles.emplace(folder, wanted, run);
  }

  bench.shelve(console);
  bench.describe(run);
  run.environment = continued_environment(before, run.environment, options.resume);
  std::string unreadable;  // Its cells will fail and say so.
  const MemoryGuard guard = make_memory_guard(config, unreadable);
  guard.skip_what_does_not_fit(run);
  writer->write(run);
  if (options.resume.is_wanted()) {
    console.err << describe_missing(run, config.measure.repeats, folder) << '\n';
  }
  try {
    measure(run, config, bench, guard, *writer, profiles ? &*profiles : nullptr, console);
  } catch (const SystemError&) {  // A full disk, say: what was measured is not lost.
    judge_by_limits(run);
    print_results(run, console);
    throw;
  }
  print_results(run, console);
  std::vector<std::string> files = {"cells.csv", "run.json", "table.md"};
  if (profiles) {
    profiles->print_proposed(console.out);
    for (std::string& name : profiles->files()) files.push_back(std::move(name));
  }
  console.out << fmt::format("\nWritten: {}/{}\n", folder.string(), fmt::join(files, ", "));
  console.out << fmt::format("As a page of charts: feedrate report {}\n", folder.string());
  return exit_code_of(run);
}

}  // namespace feedrate
