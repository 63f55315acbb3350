#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands/tune.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"

namespace feedrate {
namespace {

constexpr const char* kTuneFooter =
    "With a Python that has torch the answer is for PyTorch's DataLoader: feedrate's own loader "
    "explores\n"
    "at PyTorch's costs, which are measured once and kept; PyTorch's verifies the best.\n\n"
    "How it decides:\n"
    "  1. It measures a few probes: the trainer with a mock loader, the loader with a mock "
    "trainer.\n"
    "  2. A model of the DataLoader replays every cell of the sweep from these figures.\n"
    "  3. It measures the cheapest of the best, the runner-up and your present settings, in turn,\n"
    "     and what could still be better, until it is as sure as asked or the budget ends.\n"
    "It considers every cell of the sweep: wider axes cost next to nothing.\n\n"
    "Examples:\n"
    "  feedrate tune configs/quickstart.yaml\n"
    "  feedrate tune my.yaml --budget 10m --present num_workers=8,pin_memory=true\n"
    "  feedrate tune my.yaml --axis num_workers=0,1,2,4,8,16 --axis pin_memory=false,true\n"
    "  feedrate tune my.yaml --out results/my --budget 5m    again, to go on where it stopped\n"
    "docs/tune.md has the formulas, and what the confidence means and what it does not.";

struct TuneArguments {
  TuneOptions tune;
  bool check = false;
  double cores = 0.0;
};

int run(const TuneArguments& arguments, Console& console) {
  if (arguments.check) return run_model_check({arguments.tune.config, arguments.cores}, console);
  return run_tune(arguments.tune, console);
}

void add_goals(CLI::App& command, TuneArguments& arguments) {
  TuneOptions& options = arguments.tune;
  as_seconds(command.add_option("--budget", options.budget_seconds,
                                "time for measuring: 90s, 5m, 1h; default 5m"));
  command
      .add_option("--objective", options.objective,
                  "time: most samples per second; time-memory: the least memory of all that reach "
                  "95 % of that; default time")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, Objective>{{"time", Objective::kTime},
                                                       {"time-memory", Objective::kTimeMemory}})
                      .description(""))
      ->type_name("time|time-memory");
  command
      .add_option("--max-host-mem", options.max_host_mem,
                  "leave out settings that need more host memory: 64G")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  command
      .add_option("--confidence", options.confidence,
                  "how sure it is to be before it stops: 95% or 0.95, the default")
      ->transform(share_validator())
      ->type_name("SHARE")
      ->check(in_range(0.5, 0.999));
  command
      .add_option("--tolerance", options.tolerance,
                  "how far from the best the answer may be: 2% or 0.02; default 2%")
      ->transform(share_validator())
      ->type_name("SHARE")
      ->check(in_range(0.001, 0.5));
  command
      .add_option("--present", options.present,
                  "what you use today: num_workers=4,pin_memory=true; what is not named is at "
                  "PyTorch's default")
      ->join(',');
}

void add_scope(CLI::App& command, TuneArguments& arguments) {
  TuneOptions& options = arguments.tune;
  SweepOverrides& overrides = options.overrides;
  command
      .add_option("--axis", overrides.axes,
                  "values for a knob instead of the file's: --axis num_workers=0,2,4")
      ->allow_extra_args(false);
  command
      .add_option("--only", overrides.only,
                  "only cells with these values: --only format=lmdb,tar,num_workers=2")
      ->allow_extra_args(false);
  command
      .add_option(
          "--engine", options.engine,
          "whose loader: auto explores with feedrate's own at PyTorch's costs and verifies "
          "in PyTorch's DataLoader, where a Python has torch; native, torch: that one only; "
          "default: the file's, else auto")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, TuneEngine>{{"auto", TuneEngine::kAuto},
                                                                    {"native", TuneEngine::kNative},
                                                                    {"torch", TuneEngine::kTorch}})
              .description(""))
      ->type_name("auto|native|torch");
  command.add_option("--device", overrides.device,
                     "the device instead of the file's: auto, cuda, sim:a100-pcie4, …");
  require_positive(command.add_option("--steps", overrides.steps,
                                      "kept steps of a start; default: the file's, at most 60"));
  command.add_option("--seed", overrides.seed, "of the shuffle and the random transforms");
  add_cell_timeout(command, overrides.cell_timeout);
  command.add_option("--out", options.out,
                     "results folder; one of an earlier tune: go on where it stopped; default: "
                     "feedrate-results/<config>-tune-<time>");
  add_force(command, options.force);
}

}  // namespace

void add_tune(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "tune", "Find the best settings of a sweep from few measurements, and say how sure that is.");
  const auto arguments = std::make_shared<TuneArguments>();
  arguments->tune.command_line = command_line;
  command->add_option("config", arguments->tune.config, "the sweep, a YAML file")->required();
  add_goals(*command, *arguments);
  add_scope(*command, *arguments);
  CLI::Option* check = command->add_flag(
      "--check-model", arguments->check,
      "measure nothing; CONFIG is a results folder: how well the model predicts its cells");
  command
      ->add_option("--cores", arguments->cores,
                   "with --check-model: CPUs of the machine where it was recorded; default: here")
      ->check(in_range(0.01, 1e6))
      ->needs(check);
  command->footer(kTuneFooter);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

}  // namespace feedrate
