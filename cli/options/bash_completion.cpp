// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/outline.h"

namespace feedrate {
namespace {

constexpr const char* kScript =
    R"(# bash completion for feedrate. In this shell: source <(feedrate completion bash); in all of them:
#   feedrate completion bash > ~/.local/share/bash-completion/completions/feedrate
_feedrate() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command='' words='' options='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command|$word" in
{commands}    esac
  done
  case "$command" in
{words}  esac
  [[ $current != -* ]] || words=$options
  case "$command|$previous" in
{values}  esac
  # Where there is no answer, bash completes the name of a file.
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}}
complete -o bashdefault -o default -F _feedrate feedrate
)";

std::string commands_cases(const CommandOutline& command) {
  std::string cases;
  for (const CommandOutline& below : command.commands) {
    cases += fmt::format("      '{}|{}') command='{}' ;;\n", command.path, below.name, below.path);
    cases += commands_cases(below);
  }
  return cases;
}

std::string words_cases(const CommandOutline& command) {
  std::vector<std::string> words;
  std::vector<std::string> options;
  for (const CommandOutline& below : command.commands) words.push_back(below.name);
  for (const OptionOutline& option : command.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
    if (!option.names.empty()) continue;
    words.insert(words.end(), option.choices.begin(), option.choices.end());
  }
  std::string cases = fmt::format("    '{}') words='{}' options='{}' ;;\n", command.path,
                                  fmt::join(words, " "), fmt::join(options, " "));
  for (const CommandOutline& below : command.commands) cases += words_cases(below);
  return cases;
}

std::string values_cases(const CommandOutline& command) {
  std::string cases;
  for (const OptionOutline& option : command.options) {
    if (option.value.empty()) continue;
    for (const std::string& name : option.names) {
      cases += fmt::format("    '{}|{}') words='{}' ;;\n", command.path, name,
                           fmt::join(option.choices, " "));
    }
  }
  for (const CommandOutline& below : command.commands) cases += values_cases(below);
  return cases;
}

}  // namespace

std::string bash_completion(const CommandOutline& program) {
  return fmt::format(fmt::runtime(kScript), fmt::arg("commands", commands_cases(program)),
                     fmt::arg("words", words_cases(program)),
                     fmt::arg("values", values_cases(program)));
}

}  // namespace feedrate
