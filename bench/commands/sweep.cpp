#include "bench/commands/sweep.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/calibration/cost_profile.h"
#include "bench/dataset_shelf.h"
#include "bench/engines/engine_choice.h"
#include "bench/engines/instruments.h"
#include "bench/engines/native_engine.h"
#include "bench/engines/torch_engine.h"
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

using Profiles = std::map<std::string, CostProfile>;

// The profiles that cells are to emulate, by file.
Profiles load_profiles(const std::vector<Cell>& plan) {
  Profiles profiles;
  for (const Cell& cell : plan) {
    const std::string file = to_string(*find_setting(cell.settings, "emulate"));
    if (!file.empty() && !profiles.contains(file)) profiles[file] = load_cost_profile(file);
  }
  return profiles;
}

NativeEngineOptions engine_options(const SweepConfig& config, const Shelf& shelf,
                                   const Profiles& profiles,
                                   const std::function<void(const std::string&)>& on_damaged) {
  NativeEngineOptions options;
  options.datasets = shelf;
  options.pipeline = config.pipeline;
  options.measure = config.measure;
  for (const auto& [file, profile] : profiles) options.costs[file] = profile.costs;
  if (config.dataset.skip_damaged) options.on_damaged = on_damaged;
  return options;
}

// In words only, and each of them once: the same warning comes with every start of a loader.
void add_doubt(RunResult& run, std::string doubt) {
  std::replace(doubt.begin(), doubt.end(), '\n', ' ');
  std::vector<std::string>& doubts = run.environment.doubts;
  if (std::find(doubts.begin(), doubts.end(), doubt) == doubts.end()) {
    doubts.push_back(std::move(doubt));
  }
}

std::optional<TorchRuntime> look_for_torch(const SweepConfig& config, const std::vector<Cell>& plan,
                                           const std::stop_token& stop) {
  const std::optional<TorchNeeds> needs = torch_needs(config, plan);
  if (!needs) return std::nullopt;
  constexpr Nanos kImports = std::chrono::minutes(2);  // From a cold network file system.
  return find_torch(*needs, std::max(kImports, config.measure.cell_timeout), stop);
}

struct Surroundings {
  std::map<std::string, DeviceInfo> devices;
  std::optional<TorchRuntime> torch;
  Profiles profiles;
  InstrumentsChosen chosen;
};

void add_instruments(RunResult& run, const InstrumentsChosen& chosen) {
  Environment& about = run.environment;
  about.facts.insert(about.facts.end(), chosen.facts.begin(), chosen.facts.end());
  about.doubts.insert(about.doubts.end(), chosen.doubts.begin(), chosen.doubts.end());
}

Surroundings look_around(const SweepOptions& options, const SweepConfig& config,
                         const std::vector<Cell>& plan, Console& console) {
  Surroundings around{
      look_at_devices(plan), look_for_torch(config, plan, console.stop), load_profiles(plan), {}};
  around.chosen = choose_instruments(around.devices, options.profile.trace);
  if (!around.chosen.note.empty()) console.err << around.chosen.note << std::endl;
  return around;
}

bool is_torch_only(const RunResult& run) {
  return std::all_of(run.cells.begin(), run.cells.end(), [](const CellResult& cell) {
    return cell.outcome == Outcome::kSkipped ||
           to_string(*find_setting(cell.settings, "engine")) == "torch";
  });
}

void add_engines(RunResult& run, const std::optional<TorchRuntime>& torch) {
  std::vector<Fact>& facts = run.environment.facts;
  if (!is_torch_only(run)) {
    facts.push_back({"engine native", "feedrate's own readers, decoders and loaders"});
  }
  if (!torch) return;
  facts.push_back(
      {"engine torch", fmt::format("torch.utils.data.DataLoader; {}", torch->versions)});
  if (!run.simulated) return;
  facts.push_back({"engine torch pinning",
                   "there is no GPU: pin_memory copies into ordinary memory, not page-locked"});
}

void add_profiles(RunResult& run, const SweepConfig& config, const Profiles& profiles) {
  for (const auto& [file, profile] : profiles) {
    run.environment.facts.push_back({fmt::format("emulate {}", file),
                                     fmt::format("{}; {}", profile.versions, profile.machine)});
    if (profile.dataset == config.dataset.path.string()) continue;
    run.environment.doubts.push_back(
        fmt::format("{} holds the cost of {}, not of {}: calibrate with this sweep.", file,
                    profile.dataset.empty() ? "no samples" : "the samples of " + profile.dataset,
                    config.dataset.path.string()));
  }
}

void describe(RunResult& run, const SweepConfig& config, const Surroundings& around,
              const Shelf& shelf) {
  run.environment = machine_environment(config.dataset.path);
  add_devices(run, around.devices);
  add_instruments(run, around.chosen);
  add_engines(run, around.torch);
  for (const auto& [format, dataset] : shelf) {
    add_dataset(run, format, dataset.records, dataset.bytes);
  }
  add_profiles(run, config, around.profiles);
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

TorchEngineOptions torch_options(const SweepConfig& config, const Shelf& shelf, RunResult& run) {
  TorchEngineOptions options;
  options.datasets = shelf;
  options.dataset = config.dataset;
  options.pipeline = config.pipeline;
  options.measure = config.measure;
  options.on_warning = [&run](const std::string& warning) {
    add_doubt(run, fmt::format("PyTorch warned: {}", warning));
  };
  return options;
}

void measure(RunResult& run, const SweepConfig& config, const Surroundings& around,
             const Shelf& shelf, const RunWriter& writer, ProfileWriter* profiles,
             Console& console) {
  SweepProgress progress(console, run);
  SteadyClock clock;
  const auto on_damaged = [&](const std::string& what) { progress.damaged(what); };
  NativeEngineOptions native = engine_options(config, shelf, around.profiles, on_damaged);
  native.instruments = around.chosen.instruments;
  native.on_doubt = [&run](const std::string& doubt) { add_doubt(run, doubt); };
  TorchEngineOptions torch = torch_options(config, shelf, run);
  if (profiles) {
    native.on_profile = torch.on_profile = [=](const RunProfile& one) { profiles->take(one); };
  }
  const auto engine = make_engine_choice(
      make_native_engine(std::move(native), clock),
      around.torch ? make_torch_engine(std::move(torch), *around.torch, clock) : nullptr);
  Runner runner({config.measure.repeats, config.measure.seed, config.measure.cell_timeout}, *engine,
                {[&](const RunnerProgress& now) {
                   progress.begin(now);
                   if (profiles) profiles->begin(*now.cell);
                 },
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
  const bool has_shelf = !config.dataset.own;
  if (has_shelf) require_dataset(config.dataset);
  const Surroundings around = look_around(options, config, plan, console);
  const std::filesystem::path folder = results_folder(options, config);
  const RunWriter writer(folder);
  RunResult run = begin_run(options, config, plan);
  // Complete files from here on, whatever ends the program.
  describe(run, config, around, {});
  writer.write(run);
  std::optional<ProfileWriter> profiles;
  if (options.profile.trace || options.profile.summary) {
    profiles.emplace(folder, options.profile, run);
  }

  const Shelf shelf = has_shelf ? shelve_datasets(config, plan, console) : Shelf();
  describe(run, config, around, shelf);
  try {
    measure(run, config, around, shelf, writer, profiles ? &*profiles : nullptr, console);
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
  return exit_code(run);
}

}  // namespace feedrate
