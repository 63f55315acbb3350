// SPDX-License-Identifier: Apache-2.0
// The command line as data for bash completion and docs/cli_help.md, from the model that parses and
// prints --help. Plain values.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace feedrate {

// Value names in --help that completion knows. A name in lower case, such as "table|json", lists
// its values.
inline constexpr const char* kDeviceValue = "DEVICE";
inline constexpr const char* kFormatValue = "FORMAT";
inline constexpr const char* kKnobValue = "NAME=VALUE";

struct OptionOutline {
  std::vector<std::string> names;  ///< "--axis"; empty: a positional
  std::string positional;          ///< "config"
  std::string description;
  std::string value;                 ///< name of the value: "NAME=VALUE"; empty: a flag
  std::vector<std::string> choices;  ///< values, or prefixes that end in '='
  bool is_required = false;
};

struct CommandOutline {
  std::string name;  ///< "make"
  std::string path;  ///< "data make"; empty: the program
  std::string description;
  std::vector<OptionOutline> options;
  std::vector<CommandOutline> commands;
  std::string footer;
};

[[nodiscard]] CommandOutline outline_of(const CLI::App& app);

/// A script for `source` or the folder of completions.
[[nodiscard]] std::string bash_completion(const CommandOutline& program);
/// Returns a chapter per command.
[[nodiscard]] std::string help_markdown(const CommandOutline& program);
/// Returns feedrate(1) for man.
[[nodiscard]] std::string help_man(const CommandOutline& program);

}  // namespace feedrate
