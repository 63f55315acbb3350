// SPDX-License-Identifier: Apache-2.0
#include "bench/workbench.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/engines/engine.h"
#include "bench/engines/native_engine.h"
#include "bench/engines/ranked/ranked_engine.h"
#include "bench/engines/torch/torch_engine.h"
#include "bench/engines/undisturbed_engine.h"
#include "bench/environment.h"
#include "core/error.h"
#include "core/host/slurm.h"
#include "formats/datasets/data_text.h"
#include "loaders/processes/transport/transport.h"

namespace feedrate {
namespace {

std::string utc_now(const char* format) {
  return fmt::format(fmt::runtime(format), fmt::gmtime(std::time(nullptr)));
}

std::map<std::string, CostProfile> load_profiles(const std::vector<Cell>& plan) {
  std::map<std::string, CostProfile> profiles;
  for (const Cell& cell : plan) {
    const std::string file = cell.settings.text(KnobId::emulate);
    if (!file.empty() && !profiles.contains(file)) profiles[file] = load_cost_profile(file);
  }
  return profiles;
}

std::optional<TorchRuntime> look_for_torch(const SweepConfig& config, const std::vector<Cell>& plan,
                                           const std::stop_token& stop) {
  const std::optional<TorchNeeds> needs = torch_needs(config, plan);
  if (!needs) return std::nullopt;
  constexpr Nanos kImports =
      std::chrono::minutes(2);  // for imports from a cold network file system
  return find_torch(*needs, std::max(kImports, config.measure.cell_timeout), stop);
}

bool is_torch_only(const RunResult& run) {
  return std::all_of(run.cells.begin(), run.cells.end(), [](const CellResult& cell) {
    return cell.outcome == Outcome::kSkipped ||
           to_string(*find_setting(cell.settings, "engine")) == "torch";
  });
}

}  // namespace

void DamagedRecords::add(const std::string& what) {
  const std::lock_guard lock(mutex_);
  names_.insert(what);
}

std::vector<std::string> DamagedRecords::names() const {
  const std::lock_guard lock(mutex_);
  return {names_.begin(), names_.end()};
}

void DamagedRecords::warn(RunResult& run) const {
  const std::size_t count = names().size();
  if (count == 0) return;
  add_warning(run, fmt::format("{} damaged records were replaced by zeros, which take no time to "
                               "decode.",
                               count));
}

Workbench::Workbench(const SweepConfig& config, std::vector<Cell> plan,
                     const WorkbenchOptions& options, Console& console)
    : config_(config), plan_(std::move(plan)), launcher_(options.launcher) {
  remove_stale_copies();
  remove_left_segments();
  for (const std::string& warning : config_.warnings) console.err << warning << std::endl;
  if (!config_.dataset.is_own()) require_dataset(config_.dataset);
  devices_ = inspect_devices(plan_);
  torch_ = look_for_torch(config_, plan_, console.stop);
  if (torch_) skip_what_is_missing(plan_, config_, *torch_);
  profiles_ = load_profiles(plan_);
  chosen_ = choose_instruments(devices_, options.trace);
  if (!chosen_.note.empty()) console.err << chosen_.note << std::endl;
}

void Workbench::prepare_dataset(Console& console) {
  if (!config_.dataset.is_own()) catalog_ = prepare_datasets(config_, plan_, console, warnings_);
}

void Workbench::describe(RunResult& run) const {
  run.environment = machine_environment(config_.dataset.path);
  add_devices(run, devices_);
  add_instruments(run);
  add_engines(run);
  for (const auto& [format, dataset] : catalog_) {
    add_dataset(run, format, dataset.records, dataset.bytes, dataset.files);
    if (!dataset.left_out.empty())
      add_warning(run, left_out_text(config_.dataset.path, dataset.left_out));
  }
  add_profiles(run);
  add_plan_warnings(run, config_.measure.steps, config_.measure.repeats.least);
  for (const std::string& warning : config_.warnings) add_warning(run, warning);
  for (const std::string& warning : warnings_) add_warning(run, warning);
}

void Workbench::add_instruments(RunResult& run) const {
  Environment& about = run.environment;
  about.facts.insert(about.facts.end(), chosen_.facts.begin(), chosen_.facts.end());
  about.warnings.insert(about.warnings.end(), chosen_.warnings.begin(), chosen_.warnings.end());
}

void Workbench::add_engines(RunResult& run) const {
  std::vector<Fact>& facts = run.environment.facts;
  if (!config_.engine_reason.empty()) facts.push_back({"engine auto", config_.engine_reason});
  if (!config_.dataset.is_own() && !is_torch_only(run)) {
    facts.push_back({"engine native", "feedrate's native readers, decoders and loaders"});
  }
  if (!torch_) return;
  facts.push_back(
      {"engine torch", fmt::format("torch.utils.data.DataLoader; {}", torch_->versions)});
  facts.push_back({"engine torch start_method", torch_->start_method});
  for (const OwnDataset& own : config_.dataset.own) add_own_functions(run, own);
  if (!run.simulated) return;
  facts.push_back({"engine torch pinning", "no GPU: pin_memory copies to pageable memory"});
}

void Workbench::add_profiles(RunResult& run) const {
  for (const auto& [file, profile] : profiles_) {
    run.environment.facts.push_back({fmt::format("emulate {}", file),
                                     fmt::format("{}; {}", profile.versions, profile.machine)});
    if (profile.dataset == config_.dataset.path.string()) continue;
    run.environment.warnings.push_back(
        fmt::format("{} holds the costs of {}, not of {}: calibrate with this sweep.", file,
                    profile.dataset.empty() ? "no samples" : "the samples of " + profile.dataset,
                    config_.dataset.path.string()));
  }
}

std::unique_ptr<CellEngine> Workbench::make_engine(const EngineEvents& events, Clock& clock) const {
  return make_undisturbed_engine(make_any_engine(events, clock), config_.measure.cell_timeout,
                                 clock);
}

std::unique_ptr<CellEngine> Workbench::make_any_engine(const EngineEvents& events,
                                                       Clock& clock) const {
  std::unique_ptr<CellEngine> single = make_single_engine(events, clock);
  const bool has_ranks = std::any_of(plan_.begin(), plan_.end(), [](const Cell& cell) {
    return cell.skip_reason.empty() && cell.settings.count(KnobId::ranks) > 1;
  });
  if (!has_ranks) return single;
  RankedEngineOptions options{.request = {.config_name = config_.name,
                                          .config_text = config_.text,
                                          .steps = config_.measure.steps,
                                          .epochs = config_.measure.epochs,
                                          .seed = config_.measure.seed,
                                          .catalog = catalog_,
                                          .settings = {}},
                              .on_damaged = events.on_damaged,
                              .on_warning = events.on_warning};
  return make_ranked_engine(std::move(single), launcher_ ? launcher_ : make_spawn_rank_launcher(),
                            std::move(options));
}

std::unique_ptr<CellEngine> Workbench::make_single_engine(const EngineEvents& events,
                                                          Clock& clock) const {
  NativeEngineOptions native;
  native.datasets = catalog_;
  native.pipeline = config_.pipeline;
  native.measure = config_.measure;
  for (const auto& [file, profile] : profiles_) native.costs[file] = profile.costs;
  if (config_.dataset.skip_damaged) native.on_damaged = events.on_damaged;
  native.on_profile = events.on_profile;
  native.on_warning = events.on_warning;
  native.instruments = chosen_.instruments;
  if (!torch_) return make_engine_choice(make_native_engine(std::move(native), clock), nullptr);
  TorchEngineOptions torch;
  torch.datasets = catalog_;
  torch.dataset = config_.dataset;
  torch.pipeline = config_.pipeline;
  torch.measure = config_.measure;
  torch.on_python_warning = [warn = events.on_warning](const std::string& warning) {
    warn(fmt::format("PyTorch warned: {}", warning));
  };
  torch.on_profile = events.on_profile;
  torch.on_warning = events.on_warning;
  torch.instruments = chosen_.instruments;
  std::unique_ptr<CellEngine> real = make_torch_engine(std::move(torch), *torch_, clock);
  if (config_.dataset.is_own()) return real;
  return make_engine_choice(make_native_engine(std::move(native), clock), std::move(real));
}

RunResult begin_run(const SweepConfig& config, const std::vector<Cell>& plan,
                    const std::string& command_line) {
  RunResult run;
  run.config_name = config.name;
  run.question = config.question;
  run.config_text = config.text;
  run.started_at = utc_now("{:%Y-%m-%dT%H:%M:%SZ}");
  run.command = command_line;
  run.jobid = slurm_job_id();
  run.interrupted = true;  // for results of a program that was killed
  run.tolerance = config.measure.tolerance;
  run.axes = varying_axes(config);
  run.set.assign(config.set.begin(), config.set.end());
  for (const Cell& cell : plan) add_cell(run, cell);
  return run;
}

void add_own_functions(RunResult& run, const OwnDataset& own) {
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) run.environment.facts.push_back({of_variant(name, own.variant), value});
  };
  add("dataset.torch", own.factory);
  add("dataset.args", own.arguments_json == "{}" ? "" : own.arguments_json);
  add("collate_fn", own.collate_fn);
  add("worker_init_fn", own.worker_init_fn);
  add("sampler", own.sampler);
  add("batch_sampler", own.batch_sampler);
}

void add_cell(RunResult& run, const Cell& cell) {
  CellResult result;
  result.index = cell.index;
  result.settings = cell.settings;
  result.outcome = cell.skip_reason.empty() ? Outcome::kPending : Outcome::kSkipped;
  result.reason = cell.skip_reason;
  run.cells.push_back(std::move(result));
}

void skip_cells(RunResult& run, const std::vector<Cell>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    CellResult& cell = run.cells.at(i);
    if (cell.outcome != Outcome::kPending || plan[i].skip_reason.empty()) continue;
    cell.outcome = Outcome::kSkipped;
    cell.reason = plan[i].skip_reason;
  }
}

void add_warning(RunResult& run, std::string warning) {
  std::replace(warning.begin(), warning.end(), '\n', ' ');
  std::vector<std::string>& warnings = run.environment.warnings;
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
    warnings.push_back(std::move(warning));
  }
}

std::filesystem::path default_results_folder(const std::string& name, const std::string& suffix) {
  return std::filesystem::path("feedrate-results") /
         fmt::format("{}-{}{}", name, utc_now("{:%Y%m%dT%H%M%SZ}"), suffix);
}

std::filesystem::path results_folder(const std::filesystem::path& out, const std::string& name,
                                     const std::string& suffix) {
  if (!out.empty()) return out;
  const std::filesystem::path folder = default_results_folder(name, suffix);
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  std::filesystem::path free = folder;
  // create_directory() returns false without an error if the folder exists
  for (int i = 2; !error && !std::filesystem::create_directory(free, error) && !error; ++i) {
    free = fmt::format("{}-{}", folder.string(), i);
  }
  if (!error) return free;
  throw ConfigError(
      fmt::format("{}: cannot be created: {}; choose another results folder with --out",
                  free.string(), error.message()));
}

int exit_code_of(const RunResult& run) {
  if (run.interrupted) return kExitInterrupted;
  const bool any_failed =
      std::any_of(run.cells.begin(), run.cells.end(),
                  [](const CellResult& cell) { return cell.outcome == Outcome::kFailed; });
  return any_failed ? kExitCellFailed : kExitOk;
}

}  // namespace feedrate
