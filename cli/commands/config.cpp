// SPDX-License-Identifier: Apache-2.0
// feedrate config: prints the embedded configurations.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands/carried_files.h"
#include "cli/options/subcommands.h"
#include "core/error.h"
#include "core/host/console.h"
#include "core/host/durable_file.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

struct ConfigOptions {
  std::string name;           // empty: list all
  std::filesystem::path out;  // empty: stdout
};

std::string first_sentence(std::string_view text) {
  for (const std::string_view begin :
       {"# SPDX-License-Identifier: Apache-2.0\n", "\"\"\"", "#", " "}) {
    if (text.starts_with(begin)) text.remove_prefix(begin.size());
  }
  std::string sentence(text.substr(0, text.find('\n')));
  sentence.erase(std::min(sentence.find("\"\"\""), sentence.size()));
  return sentence;
}

void list_configs(std::ostream& out) {
  TextTable table;
  table.add_column("name", Align::kLeft);
  table.add_column("about", Align::kLeft);
  for (const std::string& name : carried_names(carried_configs())) {
    table.add_row({name, first_sentence(find_carried(carried_configs(), name, "configuration"))});
  }
  table.print(out, TableStyle::kTerminal);
}

void write_new(const std::filesystem::path& path, const std::string& text) {
  if (std::filesystem::exists(path)) {
    throw ConfigError(
        fmt::format("{}: already exists; choose another file with --out", path.string()));
  }
  replace_file(path, text);
}

// Throws ConfigError if the configuration does not exist or `out` does.
int run_config(const ConfigOptions& options, Console& console) {
  if (options.name.empty()) {
    list_configs(console.out);
    return kExitOk;
  }
  const std::string text = find_carried(carried_configs(), options.name, "configuration");
  if (options.out.empty()) {
    console.out << text;
  } else {
    write_new(options.out, text);
  }
  return kExitOk;
}

}  // namespace

void add_config(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "config", "List the configurations that come with feedrate, or print one of them.");
  const auto options = std::make_shared<ConfigOptions>();
  CLI::Option* name = command->add_option(
      "name", options->name, "name of a configuration, such as quickstart; default: list all");
  name->type_name("NAME");
  command->add_option("--out,-o", options->out, "write to this new file instead of stdout")
      ->needs(name);
  command->footer(
      "Examples:\n"
      "  feedrate config\n"
      "  feedrate config quickstart > quickstart.yaml\n"
      "  feedrate config own_dataset.py -o own_dataset.py");
  command->callback(
      [=] { chosen([=](Console& console) { return run_config(*options, console); }); });
}

}  // namespace feedrate
