#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/cli/outline.h"
#include "bench/cli/shared_options.h"
#include "bench/cli/subcommands.h"

namespace feedrate {
namespace {

Command print(std::string text) {
  return [text = std::move(text)](Console& console) {
    console.out << text;
    return kExitOk;
  };
}

}  // namespace

void add_completion(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script that lets a shell complete feedrate's commands and options.");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash or zsh; the script says where to put it")
      ->required()
      ->type_name("bash|zsh")
      ->check(CLI::IsMember({"bash", "zsh"}));
  // The model does not outlive the parsing.
  command->callback([=, &app] {
    const CommandOutline program = outline_of(app);
    chosen(print(*shell == "bash" ? bash_completion(program) : zsh_completion(program)));
  });
}

void add_help(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "help",
      "Print the help of every command, as Markdown; or with `knobs`, every knob of a sweep.");
  const auto topic = std::make_shared<std::string>();
  command->add_option("topic", *topic, "knobs: everything that a sweep can vary")
      ->type_name("knobs")
      ->check(CLI::IsMember({"knobs"}));
  command->callback(
      [=, &app] { chosen(print(topic->empty() ? help_markdown(outline_of(app)) : knob_help())); });
}

}  // namespace feedrate
