// SPDX-License-Identifier: Apache-2.0
// The subcommands and their options; related ones share a file. Each function adds one to `app`;
// the variables that its options fill belong to the command passed to `chosen`. One thread.
#pragma once
#include <functional>
#include <string>

#include "cli/cli.h"

namespace CLI {
class App;
}

namespace feedrate {

/// Called when the subcommand was named.
using Chosen = std::function<void(Command)>;

/// `command_line` goes into the results.
void add_sweep(CLI::App& app, const std::string& command_line, const Chosen& chosen);
void add_tune(CLI::App& app, const std::string& command_line, const Chosen& chosen);
void add_run(CLI::App& app, const std::string& command_line, const Chosen& chosen);
void add_merge(CLI::App& app, const std::string& command_line, const Chosen& chosen);
void add_what_if(CLI::App& app, const Chosen& chosen);
void add_plan(CLI::App& app, const Chosen& chosen);
void add_compare(CLI::App& app, const Chosen& chosen);
void add_effects(CLI::App& app, const Chosen& chosen);
void add_report(CLI::App& app, const Chosen& chosen);
void add_calibrate(CLI::App& app, const Chosen& chosen);
void add_limits(CLI::App& app, const Chosen& chosen);
void add_trace(CLI::App& app, const Chosen& chosen);
void add_config(CLI::App& app, const Chosen& chosen);
void add_env(CLI::App& app, const Chosen& chosen);
void add_columns(CLI::App& app, const Chosen& chosen);
void add_explain(CLI::App& app, const Chosen& chosen);
void add_data(CLI::App& app, const Chosen& chosen);
/// Internal: --help does not show it.
void add_rank(CLI::App& app, const Chosen& chosen);
/// Both describe everything that `app` has when it parses.
void add_completion(CLI::App& app, const Chosen& chosen);
void add_help(CLI::App& app, const Chosen& chosen);

}  // namespace feedrate
