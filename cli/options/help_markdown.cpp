// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/outline.h"

namespace feedrate {
namespace {

std::string title_of(const CommandOutline& command) {
  return command.path.empty() ? "feedrate" : "feedrate " + command.path;
}

std::string usage_of(const CommandOutline& command) {
  std::string usage = title_of(command);
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

// Escapes '<', which would begin an HTML tag.
std::string in_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string item_of(const OptionOutline& option) {
  return fmt::format("- `{}`: {}\n", name_of(option), in_text(option.description));
}

std::string link_to(const CommandOutline& command) {
  std::string anchor = title_of(command);
  std::replace(anchor.begin(), anchor.end(), ' ', '-');
  return fmt::format("[{}](#{})", command.path, anchor);
}

class Chapters {
 public:
  void add(const CommandOutline& command) {
    text_ += fmt::format("\n## {}\n\n{}\n\n    {}\n", title_of(command),
                         in_text(command.description), usage_of(command));
    add_commands(command);
    add_options(command);
    add_footer(command);
    for (const CommandOutline& below : command.commands) add(below);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add_commands(const CommandOutline& command) {
    if (command.commands.empty()) return;
    std::vector<std::string> links;
    for (const CommandOutline& below : command.commands) links.push_back(link_to(below));
    text_ += fmt::format("\nCommands: {}\n", fmt::join(links, ", "));
  }

  void add_options(const CommandOutline& command) {
    std::string list;
    std::map<std::string, std::vector<std::string>> known;  // by the command that lists them
    for (const OptionOutline& option : command.options) {
      if (option.names == std::vector<std::string>{"-h", "--help"}) continue;
      const std::string item = item_of(option);
      const auto [first, is_new] = options_.emplace(item, command.path);
      if (is_new || option.names.empty()) {
        list += item;
      } else {
        known[first->second].push_back(fmt::format("`{}`", option.names.back()));
      }
    }
    if (!list.empty()) text_ += "\n" + list;
    for (const auto& [path, names] : known) {
      text_ += fmt::format("\nAs for `{}`: {}\n", path, fmt::join(names, ", "));
    }
  }

  void add_footer(const CommandOutline& command) {
    if (command.footer.empty() || !footers_.insert(command.footer).second) return;
    text_ += fmt::format("\n```\n{}\n```\n", command.footer);
  }

  std::string text_;
  std::map<std::string, std::string> options_;
  std::set<std::string> footers_;
};

}  // namespace

std::string help_markdown(const CommandOutline& program) {
  Chapters chapters;
  chapters.add(program);
  return "# The command line\n\nFor users at the command line. `feedrate help` writes this page "
         "from what `--help` says of every command.\n`feedrate help knobs` prints every knob; "
         "[knobs.md](knobs.md) explains them.\n" +
         chapters.text();
}

}  // namespace feedrate
