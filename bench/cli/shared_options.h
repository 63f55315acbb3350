// What options of several subcommands share. One thread.
#pragma once
#include <string>

namespace CLI {
class Option;
class Validator;
}  // namespace CLI

namespace feedrate {

/// Refuses a number below 1 or above `most`; returns `option`.
CLI::Option* require_positive(CLI::Option* option, double most = 1e9);

/// For transform(): "2%" becomes 0.02, 0.02 stays.
[[nodiscard]] CLI::Validator share_validator();

/// "folder, tar, …"
[[nodiscard]] std::string format_names();

}  // namespace feedrate
