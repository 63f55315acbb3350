// SPDX-License-Identifier: Apache-2.0
// What options of several subcommands share. One thread.
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

/// Takes a time, "90s", "30m" or "4h", as seconds; refuses one below a second; returns `option`.
CLI::Option* as_seconds(CLI::Option* option);

/// Refuses what is no number of at least `least` and at most `most`; NaN is none.
[[nodiscard]] CLI::Validator in_range(double least, double most);

/// Refuses "", as a shell makes of a variable that is not set.
[[nodiscard]] CLI::Validator not_empty();

/// --cell-timeout, in seconds.
void add_cell_timeout(CLI::App& command, std::optional<double>& seconds);

/// --force, which replaces what --out holds.
CLI::Option* add_force(CLI::App& command, bool& force);

/// --columns and --given, of a table that feedrate did not write; `table` outlives the parsing.
void add_foreign_table(CLI::App& command, std::optional<ForeignColumns>& table);

/// For transform(): "2%" becomes 0.02, 0.02 stays.
[[nodiscard]] CLI::Validator share_validator();

/// A line each, of all knobs.
[[nodiscard]] std::string knob_help();

/// "folder, tar, …"
[[nodiscard]] std::string format_names();

}  // namespace feedrate
