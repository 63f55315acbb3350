#include <memory>

#include <CLI/CLI.hpp>

#include "bench/cli/subcommands.h"
#include "bench/commands/compare.h"
#include "bench/commands/transfer.h"
#include "core/error.h"

namespace feedrate {
namespace {

struct CompareArguments {
  CompareOptions compare;
  TransferCommandOptions transfer;
  bool is_transfer = false;
};

void add_transfer(CLI::App& command, CompareArguments& arguments) {
  CLI::Option* flag = command.add_flag(
      "--transfer", arguments.is_transfer,
      "do settings chosen with A hold in B? Agreement of the cells' ranks, regret, errors");
  TransferCommandOptions& options = arguments.transfer;
  command
      .add_option("--by", options.by,
                  "divide A by a setting's two values instead of reading B: engine, or "
                  "engine=native,torch")
      ->needs(flag);
  command
      .add_option("--ignore", options.ignored,
                  "settings that cells are not matched by, beside engine and all that is constant "
                  "in A and another constant in B")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(flag);
  command
      .add_option("--only", options.only,
                  "of A only the cells with this value: --only emulate=profile.yaml")
      ->allow_extra_args(false)
      ->needs(flag);
  command.add_flag("--markdown", options.markdown, "print Markdown")->needs(flag);
  command.add_option("--csv", options.csv, "also write the cells into this file")->needs(flag);
}

int run(const CompareArguments& arguments, Console& console) {
  const CompareOptions& compare = arguments.compare;
  if (arguments.is_transfer) {
    TransferCommandOptions options = arguments.transfer;
    options.a = compare.a;
    options.b = compare.b;
    return run_transfer(options, console);
  }
  if (compare.b.empty()) throw ConfigError("compare: needs two results, A and B");
  return run_compare(compare, console);
}

}  // namespace

void add_compare(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare two results cell by cell; exit code 3 if B is slower than A.");
  const auto arguments = std::make_shared<CompareArguments>();
  CompareOptions& options = arguments->compare;
  command->add_option("a", options.a, "results folder, run.json or cells.csv")->required();
  command->add_option("b", options.b, "the same, later or elsewhere; none with --by");
  command
      ->add_option("--threshold", options.threshold,
                   "loss of samples/s that counts as a regression; default 0.05, 5 %")
      ->check(CLI::Range(0.0, 0.999));
  add_transfer(*command, *arguments);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

}  // namespace feedrate
