#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/outline.h"
#include "cli/options/shared_options.h"

namespace feedrate {
namespace {

std::string usage_of(const CommandOutline& command) {
  std::string usage = command.path.empty() ? "feedrate" : "feedrate " + command.path;
  for (const OptionOutline& option : command.options) {
    if (!option.names.empty()) continue;
    usage += option.is_required ? " " + option.positional : " [" + option.positional + "]";
  }
  usage += command.commands.empty() ? " [options]" : " command";
  return usage;
}

std::string name_of(const OptionOutline& option) {
  if (option.names.empty()) return option.positional;
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  return option.value.empty() ? names : names + " " + option.value;
}

// A '|' would end a cell of a table, a '<' begin a tag.
std::string in_table(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string options_table(const CommandOutline& command) {
  std::string table;
  for (const OptionOutline& option : command.options) {
    if (option.names == std::vector<std::string>{"-h", "--help"}) continue;
    if (table.empty()) table = "\n| | |\n|---|---|\n";
    table +=
        fmt::format("| `{}` | {} |\n", in_table(name_of(option)), in_table(option.description));
  }
  return table;
}

std::string commands_table(const CommandOutline& command) {
  if (command.commands.empty()) return {};
  std::string table = "\n| command | |\n|---|---|\n";
  for (const CommandOutline& below : command.commands) {
    table += fmt::format("| `{}` | {} |\n", below.path, in_table(below.description));
  }
  return table;
}

std::string chapter(const CommandOutline& command) {
  std::string text =
      fmt::format("\n## feedrate{}{}\n\n{}\n\n    {}\n", command.path.empty() ? "" : " ",
                  command.path, command.description, usage_of(command));
  text += commands_table(command) + options_table(command);
  if (!command.footer.empty()) text += fmt::format("\n```\n{}\n```\n", command.footer);
  for (const CommandOutline& below : command.commands) text += chapter(below);
  return text;
}

}  // namespace

std::string help_markdown(const CommandOutline& program) {
  return "# The command line\n\nWritten by `feedrate help`: what `--help` says of every "
         "command.\n" +
         chapter(program) + fmt::format("\n## Knobs\n\n```\n{}```\n", knob_help());
}

}  // namespace feedrate
