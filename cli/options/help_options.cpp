// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/knobs.h"
#include "cli/commands/carried_files.h"
#include "cli/options/outline.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"

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
  CLI::App* command = app.add_subcommand("completion", "Print a shell completion script.");
  command->add_option("shell", "bash; the script says where to install it")
      ->required()
      ->type_name("bash")
      ->check(CLI::IsMember({"bash"}));
  // called at once: `app` does not outlive parsing
  command->callback([=, &app] { chosen(print(bash_completion(outline_of(app)))); });
}

void add_help(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "help",
      "Print the help of all commands as Markdown, a page of the documentation, all knobs of a "
      "sweep, or the manual page.");
  const auto topic = std::make_shared<std::string>();
  CLI::Option* option = command->add_option(
      "topic", *topic,
      "knobs: list all knobs of a sweep; man: feedrate(1), for `man -l`; else a page: " +
          fmt::format("{}", fmt::join(carried_names(carried_pages()), ", ")));
  option->type_name("knobs|man|PAGE");
  const auto is_markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *is_markdown, "with knobs: as Markdown")->needs(option);
  command->callback([=, &app] {
    if (topic->empty()) return chosen(print(help_markdown(outline_of(app))));
    if (*topic == "man") return chosen(print(help_man(outline_of(app))));
    if (*topic == "knobs") return chosen(print(*is_markdown ? knobs_markdown() : knob_help()));
    chosen(print(find_carried(carried_pages(), *topic, "page")));
  });
}

}  // namespace feedrate
