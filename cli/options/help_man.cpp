// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/build_info.h"
#include "cli/options/outline.h"

namespace feedrate {
namespace {

// Escapes what groff would read as a request, an escape or an arbitrary dash.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool begins_line = out.empty() || out.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string tag_of(const OptionOutline& option) {
  if (option.names.empty()) return fmt::format("\\fI{}\\fR", escaped(option.positional));
  const std::string names = escaped(fmt::format("{}", fmt::join(option.names, ", ")));
  return option.value.empty() ? fmt::format("\\fB{}\\fR", names)
                              : fmt::format("\\fB{}\\fR \\fI{}\\fR", names, escaped(option.value));
}

void add(const CommandOutline& command, std::string& page) {
  if (!command.path.empty()) {
    page +=
        fmt::format(".SS feedrate {}\n{}\n", escaped(command.path), escaped(command.description));
  }
  for (const OptionOutline& option : command.options) {
    page += fmt::format(".TP\n{}\n{}\n", tag_of(option), escaped(option.description));
  }
  if (!command.footer.empty()) page += fmt::format(".PP\n.EX\n{}\n.EE\n", escaped(command.footer));
  for (const CommandOutline& below : command.commands) add(below, page);
}

}  // namespace

std::string help_man(const CommandOutline& program) {
  std::string page = fmt::format(
      ".TH FEEDRATE 1 \"\" \"feedrate {}\"\n.SH NAME\nfeedrate \\- {}\n.SH SYNOPSIS\n.B feedrate\n"
      ".I command\n[options]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      kVersion, "find the DataLoader settings that keep a GPU busy", escaped(program.description));
  add(program, page);
  return page;
}

}  // namespace feedrate
