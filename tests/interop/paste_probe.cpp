// SPDX-License-Identifier: Apache-2.0
// Prints the lines to paste for the cells of a configuration, a line of JSON each:
// `paste_probe CONFIG.yaml [AXIS=VALUE]…`.
#include <iostream>
#include <optional>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "analysis/dataloader_arguments.h"
#include "analysis/paste_lines.h"
#include "bench/plan/config.h"
#include "bench/plan/plan.h"
#include "bench/workbench.h"

namespace feedrate {
namespace {

nlohmann::json to_json(const Settings& settings) {
  nlohmann::json json = nlohmann::json::object();
  for (const Setting& setting : settings) {
    std::visit([&](const auto& value) { json[setting.name] = value; }, setting.value);
  }
  return json;
}

void print_lines(const SweepConfig& config) {
  const std::vector<Cell> plan = make_plan(config, {.only = {}, .usable_cpus = 4});
  RunResult run = begin_run(config, plan, "paste_probe");
  for (const OwnDataset& own : config.dataset.own) add_own_functions(run, own);
  for (const CellResult& cell : run.cells) {
    if (cell.outcome == Outcome::kSkipped) continue;
    std::cout << nlohmann::json{{"settings", to_json(cell.settings)},
                                {"why_not", why_not_pastable(cell)},
                                {"kwargs", to_json(dataloader_kwargs(cell))},
                                {"code", paste_ready(run, cell)}}
                     .dump()
              << '\n';
  }
}

}  // namespace
}  // namespace feedrate

int main(int argc, char** argv) {
  try {
    feedrate::SweepConfig config = feedrate::load_config(argv[1]);
    for (int i = 2; i < argc; ++i) override_axis(config, feedrate::parse_axis(argv[i]));
    feedrate::print_lines(config);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
