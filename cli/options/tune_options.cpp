// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/report/load_run.h"
#include "cli/commands/tune.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"

namespace feedrate {
namespace {

constexpr const char* kTuneFooter =
    "With a Python that has torch, the result is for PyTorch's DataLoader: the native loader "
    "explores\n"
    "at PyTorch's costs, which are measured once and saved; PyTorch's DataLoader verifies the "
    "best.\n"
    "\n"
    "How it decides:\n"
    "  1. It measures a few probes: the trainer with a mock loader, the loader with a mock "
    "trainer.\n"
    "  2. A model of the DataLoader predicts every cell of the sweep from these probes.\n"
    "  3. It measures the recommendation, the runner-up, the baseline and other candidates in "
    "turn,\n"
    "     until the requested confidence is reached or the budget is used up.\n"
    "It considers every cell of the sweep. Wider axes cost little.\n"
    "\n"
    "Examples:\n"
    "  feedrate tune sweep.yaml\n"
    "  feedrate tune my.yaml --budget 10m --present num_workers=8,pin_memory=true\n"
    "  feedrate tune my.yaml --axis num_workers=0,1,2,4,8,16 --axis pin_memory=false,true\n"
    "  feedrate tune my.yaml --out results/my --budget 5m    run again to continue\n"
    "`feedrate help tune` has the formulas and says what the confidence means.";

struct TuneArguments {
  TuneOptions tune;
  bool check = false;
  double cores = 0.0;
};

int run(const TuneArguments& arguments, Console& console) {
  if (arguments.check) return run_model_check({arguments.tune.config, arguments.cores}, console);
  const TuneOptions& tune = arguments.tune;
  if (holds_run(tune.config)) return tune_watched_run(tune.config, tune.json, console);
  return run_tune(tune, console);
}

void add_goals(CLI::App& command, TuneArguments& arguments) {
  TuneOptions& options = arguments.tune;
  as_seconds(command.add_option("--budget", options.budget_seconds,
                                "measurement time: 90s, 5m, 1h; default 5m"));
  command
      .add_option("--objective", options.objective,
                  "time: most samples per second; time-memory: least memory among settings that "
                  "reach 95 % of that; default time")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, Objective>{{"time", Objective::kTime},
                                                       {"time-memory", Objective::kTimeMemory}})
                      .description(""))
      ->type_name("time|time-memory");
  command
      .add_option("--max-host-mem", options.max_host_mem,
                  "exclude settings that need more host memory: 64G")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  command
      .add_option("--confidence", options.confidence,
                  "confidence to reach before stopping: 95% or 0.95; default 95%")
      ->transform(share_validator())
      ->type_name("SHARE")
      ->check(in_range(0.5, 0.999));
  command
      .add_option("--tolerance", options.tolerance,
                  "accepted loss against the best: 2% or 0.02; default 2%")
      ->transform(share_validator())
      ->type_name("SHARE")
      ->check(in_range(0.001, 0.5));
  command
      .add_option("--present", options.present,
                  "settings in use today, the baseline: num_workers=4,pin_memory=true; other "
                  "settings are PyTorch's defaults")
      ->join(',');
}

void add_scope(CLI::App& command, TuneArguments& arguments) {
  TuneOptions& options = arguments.tune;
  SweepOverrides& overrides = options.overrides;
  command
      .add_option("--axis", overrides.axes,
                  "override the values of a knob: --axis num_workers=0,2,4")
      ->allow_extra_args(false);
  command
      .add_option("--only", overrides.only,
                  "only cells with these values: --only format=lmdb,tar,num_workers=2")
      ->allow_extra_args(false);
  command
      .add_option("--engine", options.engine,
                  "auto: explore with the native loader at PyTorch's costs, verify with PyTorch's "
                  "DataLoader if a Python has torch; native, torch: only that engine; default: "
                  "from the file, else auto")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, TuneEngine>{{"auto", TuneEngine::kAuto},
                                                                    {"native", TuneEngine::kNative},
                                                                    {"torch", TuneEngine::kTorch}})
              .description(""))
      ->type_name("auto|native|torch");
  command.add_option(
      "--device", overrides.device,
      "override the device: auto, cuda, sim:a100-pcie4, …; default: from the file, else auto");
  require_positive(command.add_option(
      "--steps", overrides.steps, "measured steps per repeat; default: from the file, at most 60"));
  command.add_option(
      "--seed", overrides.seed,
      "random seed of the shuffle and the transforms; default: from the file, else 0");
  add_cell_timeout(command, overrides.cell_timeout);
  command.add_option("--out", options.out,
                     "results folder; the folder of an earlier tune is continued; default: "
                     "feedrate-results/<config>-tune-<time>");
  command.add_flag("--json", options.json,
                   "print recommendation.json to stdout, everything else to stderr; for the folder "
                   "of a `feedrate run`, print what `what-if --json` prints");
  add_force(command, options.force);
}

}  // namespace

void add_tune(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "tune", "Find the best settings of a sweep from a few measurements, with a confidence.");
  const auto arguments = std::make_shared<TuneArguments>();
  arguments->tune.command_line = command_line;
  command
      ->add_option("config", arguments->tune.config,
                   "configuration of the sweep, a YAML file; or the folder of a `feedrate run`, "
                   "for which other settings are predicted")
      ->required();
  add_goals(*command, *arguments);
  add_scope(*command, *arguments);
  CLI::Option* check = command->add_flag(
      "--check-model", arguments->check,
      "measure nothing; test how well the model predicts the cells of CONFIG, a results folder");
  check->excludes(command->get_option("--json"));
  command
      ->add_option("--cores", arguments->cores,
                   "with --check-model: CPUs of the machine of the results; default: this machine")
      ->check(in_range(0.01, 1e6))
      ->needs(check);
  command->footer(kTuneFooter);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

}  // namespace feedrate
