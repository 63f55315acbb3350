// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/engines/ranked/rank_launcher.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_rank(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand("rank", "Run one rank of a cell; started by a sweep.");
  command->group("");
  const auto folder = std::make_shared<std::string>();
  command->add_option("folder", *folder, "path of the rank's request")->required();
  command->callback(
      [=] { chosen([=](Console& console) { return run_spawned_rank(*folder, console.stop); }); });
}

}  // namespace feedrate
