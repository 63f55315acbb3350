// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/plan_shards.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "bench/workbench.h"
#include "cli/commands/sbatch.h"
#include "core/format.h"
#include "core/host/cpu.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

std::size_t count_of_shards(const SweepConfig& config, const std::vector<Cell>& plan,
                            const NodePlan& nodes) {
  if (nodes.shards > 0) return nodes.shards;
  return nodes.time_limit ? shards_for(plan, config.measure, *nodes.time_limit) : 1;
}

double longest(const Shards& shards) {
  return *std::max_element(shards.seconds.begin(), shards.seconds.end());
}

double sum(const Shards& shards) {
  return std::accumulate(shards.seconds.begin(), shards.seconds.end(), 0.0);
}

std::string limit_text(double limit, const Shards& shards) {
  const double share = longest(shards) / limit;
  std::string text =
      fmt::format("The steps of the longest shard take {1:.0f} % of the time limit of {0}",
                  format_duration(limit), 100.0 * share);
  text += share <= kShareOfLimit ? "; the rest is left for loading, which the sweep measures."
                                 : ": little is left for loading, which the sweep measures.";
  return text + " A shard that takes longer is requeued and resumed.\n";
}

std::size_t most_cpus(const std::vector<Cell>& plan) {
  std::size_t most = 1;
  for (const Cell& cell : plan) {
    if (!cell.skip_reason.empty()) continue;
    const auto workers = static_cast<std::size_t>(cell.settings.count(KnobId::num_workers));
    most = std::max(most, (workers + 1) * ranks_on_a_node(cell.settings));
  }
  return most;
}

// A GPU per rank, unless all devices are simulated: `auto` means a GPU where the job runs.
std::size_t most_gpus(const SweepConfig& config, const std::vector<Cell>& plan) {
  const auto devices = std::find_if(config.axes.begin(), config.axes.end(),
                                    [](const Axis& axis) { return axis.name == "device"; });
  const bool wants_one = std::any_of(
      devices->values.begin(), devices->values.end(),
      [](const SettingValue& device) { return !to_string(device).starts_with("sim:"); });
  if (!wants_one) return 0;
  std::size_t most = 1;
  for (const Cell& cell : plan) {
    if (cell.skip_reason.empty()) most = std::max(most, ranks_on_a_node(cell.settings));
  }
  return most;
}

std::vector<std::string> remarks(const SweepConfig& config, const Shards& shards) {
  std::vector<std::string> lines;
  if (!config.question.empty()) lines.push_back(config.question);
  const std::size_t cells = std::accumulate(shards.cells.begin(), shards.cells.end(), 0UL);
  lines.push_back(fmt::format("{} in {}; node time: at least {}, {} in the longest shard.",
                              plural(cells, "cell"), plural(shards.cells.size(), "shard"),
                              format_duration(sum(shards)), format_duration(longest(shards))));
  return lines;
}

}  // namespace

void print_shards(std::ostream& out, const SweepConfig& config, const std::vector<Cell>& plan,
                  const NodePlan& nodes) {
  const Shards shards = divide(plan, config.measure, count_of_shards(config, plan, nodes));
  const std::size_t count = shards.cells.size();
  TextTable table;
  for (const char* const column : {"shard", "cells", "time"}) {
    table.add_column(column, Align::kRight);
  }
  for (std::size_t i = 0; i < count; ++i) {
    table.add_row({to_string(SweepShard{i + 1, count}), std::to_string(shards.cells[i]),
                   "≥ " + format_duration(shards.seconds[i])});
  }
  out << '\n';
  table.print(out, TableStyle::kTerminal);
  out << fmt::format(
      "\nNode time: at least {}, {} of it in the longest shard: steps of the trainer and one "
      "second per repeat.\n",
      format_duration(sum(shards)), format_duration(longest(shards)));
  if (nodes.time_limit) out << limit_text(*nodes.time_limit, shards);
  out << "For the script that submits this to Slurm, add --sbatch.\n";
}

std::string plan_script(const SweepOptions& options, const SweepConfig& config,
                        const std::vector<Cell>& plan, const NodePlan& nodes,
                        std::optional<int> partition_cpus) {
  const Shards shards = divide(plan, config.measure, count_of_shards(config, plan, nodes));
  SbatchSweep sweep;
  sweep.name = config.name;
  sweep.remarks = remarks(config, shards);
  sweep.remarks.push_back(
      fmt::format("Planned for nodes of {} CPUs, {}.", partition_cpus.value_or(usable_cpus()),
                  partition_cpus ? "as in Slurm's partition; set $SBATCH_PARTITION for another"
                                 : "as on this machine"));
  sweep.arguments = to_texts(options.overrides);
  sweep.arguments.insert(sweep.arguments.begin(), options.config.string());
  sweep.out =
      options.out.empty() ? default_results_folder(config.name).string() : options.out.string();
  sweep.shards = shards.cells.size();
  sweep.cpus = most_cpus(plan);
  sweep.gpus = most_gpus(config, plan);
  sweep.time_limit = nodes.time_limit;
  return sbatch_script(sweep);
}

}  // namespace feedrate
