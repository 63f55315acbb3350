// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/run.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"

namespace feedrate {
namespace {

constexpr const char* kRunFooter =
    "The script is not changed: it keeps its arguments, its working directory, its input and "
    "output,\n"
    "its exit code and its signals. feedrate writes to stderr and to its results folder.\n"
    "Set FEEDRATE_DEBUG=1 to print why a script is not watched.\n"
    "\n"
    "Examples:\n"
    "  feedrate run train.py --epochs 90\n"
    "  feedrate run --tune train.py --epochs 90      tune the DataLoader during the training\n"
    "  feedrate run --tune --until-decided train.py  end the script when the settings are known\n"
    "  feedrate run -- torchrun --nproc-per-node 4 train.py\n"
    "`feedrate help run` describes what feedrate does to your process, and what it never does.";

// CLI11 would not name the arguments after the options.
class RunFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] SCRIPT [ARGUMENTS OF THE SCRIPT]...\n";
  }
};

}  // namespace

void add_run(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "run", "Run a training script, unchanged, and report what its steps wait for.");
  const auto options = std::make_shared<RunOptions>();
  options->command_line = command_line;
  command->add_flag(
      "--tune", options->tune,
      "try DataLoader settings while the script trains, and keep the best; each batch "
      "is trained once, in its order");
  command->add_flag("--until-decided", options->until_decided,
                    "end the script when the verdict is known");
  require_positive(command->add_option(
      "--steps", options->steps, "end the script after this number of steps; default: never"));
  command->add_option("--out", options->out,
                      "results folder; default: feedrate-results/<script>-run-<time>");
  add_force(*command, options->force);
  command->add_flag("--json", options->json,
                    "print the verdict as a line of JSON on stdout, after the script has ended");
  command->add_flag("--listen", options->listens)->group("");  // for the Python package
  command->prefix_command();
  command->formatter(std::make_shared<RunFormatter>());
  command->footer(kRunFooter);
  command->callback([=] {
    options->command = command->remaining();
    if (options->command.empty() && !options->listens) throw CLI::RequiredError("SCRIPT");
    chosen([=](Console& console) { return run_script(*options, console); });
  });
}

}  // namespace feedrate
