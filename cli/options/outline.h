// SPDX-License-Identifier: Apache-2.0
// The command line as data: what bash's completion and docs/cli_help.md are made of. Read from the
// same model that parses and prints --help. Plain values.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace feedrate {

// Values that completion knows, by what stands for them in --help. What begins in lower case, as
// "table|json", lists its own.
inline constexpr const char* kDeviceValue = "DEVICE";
inline constexpr const char* kFormatValue = "FORMAT";
inline constexpr const char* kKnobValue = "NAME=VALUE";

struct OptionOutline {
  std::vector<std::string> names;  ///< "--axis"; empty: a positional
  std::string positional;          ///< "config"
  std::string description;
  std::string value;                 ///< what stands for it: "NAME=VALUE"; empty: a flag
  std::vector<std::string> choices;  ///< values, or beginnings of them that end in '='
  bool is_required = false;
};

struct CommandOutline {
  std::string name;  ///< "make"
  std::string path;  ///< "data make"; empty: the program itself
  std::string description;
  std::vector<OptionOutline> options;
  std::vector<CommandOutline> commands;
  std::string footer;
};

[[nodiscard]] CommandOutline outline_of(const CLI::App& app);

/// A script for `source`, or for the folder of completions.
[[nodiscard]] std::string bash_completion(const CommandOutline& program);
/// A chapter for each command.
[[nodiscard]] std::string help_markdown(const CommandOutline& program);
/// feedrate(1), for man.
[[nodiscard]] std::string help_man(const CommandOutline& program);

}  // namespace feedrate
