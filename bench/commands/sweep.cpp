#include "bench/commands/sweep.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/memory_guard.h"
#include "bench/plan/limit_cells.h"
#include "bench/runner.h"
#include "bench/sweep_progress.h"
#include "bench/workbench.h"
#include "core/error.h"
#include "host/cpu.h"
#include "report/best.h"
#include "report/limits.h"
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
             const MemoryGuard& guard, const RunWriter& writer, ProfileWriter* profiles,
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
                   progress.end(now);
                   guard.add_prediction(run.cells.at(now.cell->index));
                   judge_by_limits(run);
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
  const std::vector<Cell> plan = make_plan_with_limits(
      config, {parse_only(options.overrides), static_cast<std::size_t>(usable_cpus())});
  Workbench bench(config, plan, {.trace = options.profile.trace}, console);
  const std::filesystem::path folder = results_folder(options.out, config.name);
  const RunWriter writer(folder);
  RunResult run = begin_run(config, plan, options.command_line);
  // Complete files from here on, whatever ends the program.
  bench.describe(run);
  writer.write(run);
  std::optional<ProfileWriter> profiles;
  if (options.profile.trace || options.profile.summary) {
    profiles.emplace(folder, options.profile, run);
  }

  bench.shelve(console);
  bench.describe(run);
  std::string unreadable;  // Its cells will fail and say so.
  const MemoryGuard guard = make_memory_guard(config, unreadable);
  guard.skip_what_does_not_fit(run);
  try {
    measure(run, config, bench, guard, writer, profiles ? &*profiles : nullptr, console);
  } catch (const SystemError&) {  // A full disk, say: what was measured is not lost.
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
