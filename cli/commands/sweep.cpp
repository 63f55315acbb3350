// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/sweep.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include "analysis/cell_text.h"
#include "analysis/columns.h"
#include "analysis/decision.h"
#include "analysis/limits.h"
#include "analysis/report/json.h"
#include "analysis/report/load_run.h"
#include "analysis/report/ranks.h"
#include "analysis/report/rescue.h"
#include "analysis/report/run_writer.h"
#include "analysis/report/table.h"
#include "bench/engine_auto.h"
#include "bench/engines/ranked/launched_job.h"
#include "bench/environment.h"
#include "bench/plan/memory_guard.h"
#include "bench/runner.h"
#include "bench/workbench.h"
#include "cli/sweep_progress.h"
#include "cli/terminal_width.h"
#include "core/did_you_mean.h"
#include "core/error.h"
#include "core/host/cpu.h"
#include "device/lost.h"

namespace feedrate {
namespace {

void show(const RunResult& run, Console& console) {
  print_results(console.out, run, TableStyle::kTerminal, terminal_width());
  console.out.flush();
}

struct Sweep {
  SweepConfig config;
  std::vector<Cell> plan;
  RunResult run;
};

std::filesystem::path new_folder(const SweepOptions& options) {
  const std::optional<SweepShard>& shard = options.overrides.shard;
  const std::string part = shard ? folder_name(*shard) : std::string();
  if (!options.out.empty()) return shard ? options.out / part : options.out;
  return results_folder({}, options.config.stem().string(), shard ? '-' + part : part);
}

SweepOptions decided(SweepOptions options) {
  if (!options.resume.or_begin) return options;
  const std::filesystem::path folder = new_folder(options);
  if (has_run_in(folder)) options.resume.folder = folder;
  return options;
}

std::string sort_of(const SweepOverrides& overrides, const RunResult& run) {
  if (!overrides.sort) return {};
  const std::vector<std::string> settings = setting_names(run);
  std::vector<std::string_view> known(settings.begin(), settings.end());
  for (const Column& column : metric_columns()) known.push_back(column.tag);
  known.emplace_back("jobid");
  if (std::find(known.begin(), known.end(), *overrides.sort) != known.end()) return *overrides.sort;
  const std::string near = did_you_mean(*overrides.sort, known);
  throw ConfigError(fmt::format("--sort {}: unknown column{}", *overrides.sort,
                                near.empty() ? "; `feedrate columns` lists them" : near));
}

Sweep new_sweep(const SweepOptions& options, const LaunchedRanks& launched,
                const std::stop_token& stop) {
  SweepConfig config = load_sweep(options.config, options.overrides);
  SweepOverrides overrides = options.overrides;
  config.engine_reason = choose_engine(config, parse_only(overrides), stop);
  if (!config.engine_reason.empty()) overrides.engine = engine_of(config);
  std::vector<Cell> plan = sweep_plan(config, overrides, launched);
  RunResult run = begin_run(config, plan, options.command_line);
  run.overrides = to_texts(overrides);
  run.sort = sort_of(overrides, run);
  return {std::move(config), std::move(plan), std::move(run)};
}

// REQUIRES: no other process writes to the folder
Sweep resumed_sweep(const SweepOptions& options, const LaunchedRanks& launched, RunWriter& writer) {
  RunResult run = load_run(options.resume.folder);
  require_same_config(run, options.config, options.resume.folder);
  const SweepOverrides overrides = resumed_overrides(options.overrides, run);
  SweepConfig config = load_stored_sweep(run, overrides);
  std::vector<Cell> plan = sweep_plan(config, overrides, launched);
  require_same_plan(run, plan, options.resume.folder);
  plan_skipped_cells(run, plan);
  fail_cells_that_kill(run, writer.killed_in(), "--retry-failed retries it");
  if (options.resume.retry_failed) {
    retry_failed_cells(run);
    writer.forget_kills();
  }
  run.overrides = to_texts(overrides);
  run.set.assign(config.set.begin(), config.set.end());
  run.sort = sort_of(overrides, run);
  run.interrupted = true;
  run.recommended.reset();  // an earlier tune's answer ignores the new repeats
  const std::string now = begin_run(config, {}, {}).started_at;
  run.environment.facts.push_back({fmt::format("resumed {}", now), options.command_line});
  std::erase(run.environment.warnings, kOneStartOnly);
  return {std::move(config), std::move(plan), std::move(run)};
}

void require_cells_to_profile(const std::vector<Cell>& plan) {
  const bool any = std::any_of(plan.begin(), plan.end(), [](const Cell& cell) {
    return cell.skip_reason.empty() && cell.settings.count(KnobId::ranks, 1) <= 1;
  });
  if (any) return;
  throw ConfigError(
      "--trace and --profile need cells with one rank; this sweep has none; add ranks: 1");
}

/// Its member functions are the steps of execute(), in order.
class SweepCommand {
 public:
  SweepCommand(const SweepOptions& options, Console& console, const LaunchedJob& job)
      : options_(decided(options)),
        out_(console.out),
        console_(options.json ? console.on_err() : console),
        job_(job),
        sweep_(open_sweep()),
        before_(run().environment),
        bench_(config(), sweep_.plan, {.trace = options_.profile.trace, .launcher = job.launcher()},
               console) {}

  int execute() {
    open_files();
    prepare();
    try {
      measure();
    } catch (const SystemError&) {  // saves the results despite, for example, a full disk
      judge_by_limits(run());
      show(run(), console_);
      console_.err << rescue_text(rescue_run(run(), rescue_places())) << '\n';
      throw;
    } catch (const DeviceLostToProcess&) {
      judge_by_limits(run());
      writer_->write(run());
      show(run(), console_);
      console_.err << fmt::format(
          "measured results are saved; continue in a new process: feedrate sweep --resume {} "
          "--retry-failed\n",
          folder_.string());
      throw;
    }
    show(run(), console_);
    print_files();
    if (options_.json) write_run_json(out_, run());
    return exit_code_of(run());
  }

 private:
  [[nodiscard]] bool is_resumed() const { return options_.resume.is_wanted(); }
  [[nodiscard]] const SweepConfig& config() const { return sweep_.config; }
  [[nodiscard]] RunResult& run() { return sweep_.run; }

  Sweep open_sweep() {
    if (!is_resumed()) return new_sweep(options_, job_.ranks(), console_.stop);
    require_run_in(options_.resume.folder);
    writer_.emplace(options_.resume.folder, clock_, EarlierRun::kContinue);
    return resumed_sweep(options_, job_.ranks(), *writer_);
  }

  void describe() {
    bench_.describe(run());
    if (const std::string path = job_.all_reduce_path(); !path.empty()) {
      run().environment.facts.push_back({"host_all_reduce", path});
    }
    run().environment = continued_environment(before_, run().environment, options_.resume);
  }

  void open_files() {
    skip_cells(run(), bench_.plan());
    describe();
    if (options_.profile.trace || options_.profile.summary) require_cells_to_profile(bench_.plan());
    folder_ = is_resumed() ? options_.resume.folder : new_folder(options_);
    if (!writer_) {
      writer_.emplace(folder_, clock_, options_.force ? EarlierRun::kReplace : EarlierRun::kRefuse);
      // complete files exist from now on, even if the program is killed
      writer_->write(run());
    }
    if (!options_.profile.trace && !options_.profile.summary) return;
    ProfileOptions wanted = options_.profile;
    wanted.keep_earlier = is_resumed();
    profiles_.emplace(folder_, wanted, run());
  }

  void prepare() {
    bench_.prepare_dataset(console_);
    describe();
    std::string unreadable;
    guard_.emplace(make_memory_guard(config(), unreadable));
    guard_->skip_what_does_not_fit(run());
    writer_->write(run());
    if (!is_resumed()) return;
    console_.err << describe_missing(run(), config().measure.repeats.least, folder_) << '\n';
  }

  EngineEvents engine_events(DamagedRecords& damaged) {
    EngineEvents events;
    events.on_damaged = [&damaged](const std::string& what) { damaged.add(what); };
    events.on_warning = [this](const std::string& warning) { add_warning(run(), warning); };
    if (profiles_) events.on_profile = [this](const RunProfile& one) { profiles_->take(one); };
    return events;
  }

  RunnerEvents runner_events(SweepProgress& progress) {
    return {[this, &progress](const RunnerProgress& now) {
              progress.begin(now);
              writer_->begin(*now.cell);
              if (profiles_) profiles_->begin(*now.cell);
            },
            [this, &progress](const RunnerProgress& now) {
              progress.measured();
              guard_->add_prediction(run().cells.at(now.cell->index));
              writer_->record(run(), *now.cell, [this] { judge_by_limits(run()); });
              ::malloc_trim(0);  // the next cell starts with the same heap
              progress.end(now);
            },
            contenders};
  }

  void measure() {
    SweepProgress progress(console_, run());
    DamagedRecords damaged;
    const auto engine = bench_.make_engine(engine_events(damaged), clock_);
    Runner runner(config().measure, *engine, runner_events(progress));
    runner.run(run(), job_.stop());
    damaged.warn(run());
    progress.finish(run(), damaged.names());
    judge_by_limits(run());
    writer_->write(run());
  }

  void print_files() {
    std::vector<std::string> files = {"cells.csv", "run.json", "table.md"};
    if (has_ranks(run())) files.emplace_back("ranks.csv");
    if (profiles_) {
      profiles_->print_proposed(console_.out);
      for (std::string& name : profiles_->files()) files.push_back(std::move(name));
    }
    console_.out << fmt::format("\nWritten: {}/{}\n", folder_.string(), fmt::join(files, ", "));
    console_.out << fmt::format("As a page of charts: feedrate report {}\n", folder_.string());
  }

  const SweepOptions options_;
  std::ostream& out_;  // JSON output
  Console console_;
  const LaunchedJob& job_;
  SteadyClock clock_;
  std::optional<RunWriter> writer_;
  Sweep sweep_;
  const Environment before_;
  Workbench bench_;
  std::filesystem::path folder_;
  std::optional<ProfileWriter> profiles_;
  std::optional<MemoryGuard> guard_;
};

}  // namespace

int run_sweep(const SweepOptions& options, Console& console) {
  LaunchedJob job(console);
  if (!job.leads()) return job.follow();
  return SweepCommand(options, console, job).execute();
}

}  // namespace feedrate
