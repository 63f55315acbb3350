// SPDX-License-Identifier: Apache-2.0
// Helpers for options of several subcommands. One thread.
#pragma once
#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace feedrate {

struct ForeignColumns;

/// Refuses a number below 1 or above `most`; returns `option`.
CLI::Option* require_positive(CLI::Option* option, double most = 1e9);

/// Parses "90s", "30m" or "4h" as seconds; refuses less than a second; returns `option`.
CLI::Option* as_seconds(CLI::Option* option);

/// Refuses anything but a number between `least` and `most`.
[[nodiscard]] CLI::Validator in_range(double least, double most);

/// Refuses "", the result of an unset shell variable.
[[nodiscard]] CLI::Validator not_empty();

/// --cell-timeout, in seconds.
void add_cell_timeout(CLI::App& command, std::optional<double>& seconds);

/// Adds --force, which replaces the contents of --out.
CLI::Option* add_force(CLI::App& command, bool& force);

/// Adds --columns and --given for a table that feedrate did not write; `table` must outlive
/// parsing.
void add_foreign_table(CLI::App& command, std::optional<ForeignColumns>& table);

/// A validator for transform(): "2%" becomes 0.02, 0.02 stays.
[[nodiscard]] CLI::Validator share_validator();

/// All knobs, one per line.
[[nodiscard]] std::string knob_help();

/// "folder, tar, …"
[[nodiscard]] std::string format_names();

}  // namespace feedrate
