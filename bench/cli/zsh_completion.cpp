#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/cli/outline.h"

namespace feedrate {
namespace {

constexpr const char* kHead =
    R"(#compdef feedrate
# zsh completion for feedrate. In this shell: source <(feedrate completion zsh); in all of them, with a
# folder of $fpath: feedrate completion zsh > ~/.zfunc/_feedrate
)";

constexpr const char* kTail =
    R"(
if [[ ${funcstack[1]} == _feedrate ]]; then
  _feedrate "$@"
else
  compdef _feedrate feedrate
fi
)";

// For a specification in single quotes.
std::string escaped(std::string_view text, std::string_view specials) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (specials.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string function_of(const CommandOutline& command) {
  std::string name = command.path.empty() ? "_feedrate" : "_feedrate_" + command.path;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string action_of(const OptionOutline& option) {
  if (option.choices.empty()) {
    const bool is_number =
        option.value == "UINT" || option.value == "INT" || option.value == "FLOAT";
    return is_number ? " " : "_files";
  }
  const std::string words = escaped(fmt::format("{}", fmt::join(option.choices, " ")), ":");
  // A value follows the '=': no space.
  return option.choices.front().ends_with('=') ? "{compadd -S \"\" -- " + words + "}"
                                               : "(" + words + ")";
}

std::string argument_of(const OptionOutline& option) {
  return fmt::format(":{}:{}", escaped(option.value, ":"), action_of(option));
}

std::string specifications(const CommandOutline& command) {
  std::string lines;
  std::size_t positional = 0;
  for (const OptionOutline& option : command.options) {
    if (option.names.empty()) {
      lines += fmt::format(" \\\n    '{}:{}:{}'", ++positional, escaped(option.positional, ":"),
                           action_of(option));
    }
    for (const std::string& name : option.names) {
      lines += fmt::format(" \\\n    '{}{}[{}]{}'", option.is_repeatable ? "*" : "", name,
                           escaped(option.description, "[]"),
                           option.value.empty() ? "" : argument_of(option));
    }
  }
  return lines;
}

std::string function_text(const CommandOutline& command) {
  std::string text = fmt::format("\n{}() {{\n", function_of(command));
  if (command.commands.empty()) {
    text += fmt::format("  _arguments{}\n}}\n", specifications(command));
    return text;
  }
  text += fmt::format(
      "  local line state\n  _arguments -C{} \\\n    '1:command:->command' "
      "'*::argument:->argument'\n"
      "  case $state in\n    command)\n      local -a commands=(\n",
      specifications(command));
  for (const CommandOutline& below : command.commands) {
    text += fmt::format("        '{}:{}'\n", below.name, escaped(below.description, ":"));
  }
  text +=
      "      )\n      _describe command commands\n      ;;\n    argument)\n      case $line[1] "
      "in\n";
  for (const CommandOutline& below : command.commands) {
    text += fmt::format("        {}) {} ;;\n", below.name, function_of(below));
  }
  text += "      esac\n      ;;\n  esac\n}\n";
  for (const CommandOutline& below : command.commands) text += function_text(below);
  return text;
}

}  // namespace

std::string zsh_completion(const CommandOutline& program) {
  return kHead + function_text(program) + kTail;
}

}  // namespace feedrate
