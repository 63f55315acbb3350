// SPDX-License-Identifier: Apache-2.0
#include "cli/options/outline.h"

#include <algorithm>
#include <cctype>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/plan/knobs.h"
#include "device/open.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

std::vector<std::string> choices_of(const std::string& value) {
  std::vector<std::string> choices;
  if (value == kDeviceValue) choices = known_devices();
  if (value == kKnobValue) {
    for (const Knob& knob : knobs()) choices.push_back(fmt::format("{}=", knob.name));
  }
  if (value == kFormatValue) {
    for (const Format& format : formats()) choices.emplace_back(format.name);
  }
  const bool is_list = !value.empty() && std::islower(static_cast<unsigned char>(value.front()));
  for (std::size_t begin = 0; is_list && begin <= value.size();) {
    const std::size_t end = std::min(value.find('|', begin), value.size());
    choices.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  std::string type = option.get_type_name();
  return type.substr(0, type.find_first_of(": "));
}

OptionOutline outline_of(const CLI::Option& option) {
  OptionOutline outline;
  for (const std::string& name : option.get_snames()) outline.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) outline.names.push_back("--" + name);
  if (option.get_positional()) outline.positional = option.get_name(true);
  outline.description = option.get_description();
  outline.value = value_of(option);
  outline.choices = choices_of(outline.value);
  outline.is_required = option.get_required();
  return outline;
}

bool is_shown(const CLI::App* command) { return !command->get_group().empty(); }

CommandOutline outline_at(const CLI::App& app, const std::string& path) {
  CommandOutline outline;
  outline.name = app.get_name();
  outline.path = path;
  outline.description = app.get_description();
  outline.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    outline.options.push_back(outline_of(*option));
  }
  for (const CLI::App* command : app.get_subcommands(is_shown)) {
    const std::string below = path.empty() ? "" : path + " ";
    outline.commands.push_back(outline_at(*command, below + command->get_name()));
  }
  return outline;
}

}  // namespace

CommandOutline outline_of(const CLI::App& app) { return outline_at(app, ""); }

}  // namespace feedrate
