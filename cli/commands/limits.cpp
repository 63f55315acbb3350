// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/limits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/environment.h"
#include "bench/limits/limit.h"
#include "bench/limits/measure.h"
#include "bench/plan/cell_spec.h"
#include "cli/commands/limits_json.h"
#include "cli/commands/sweep.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

fs::path folder_for(const LimitsCommandOptions& options, const fs::path& dataset) {
  if (!options.folder.empty()) return options.folder;
  if (is_remote(dataset.native())) return ".";
  const fs::path parent = dataset.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

ReadOptions reads_of(const SweepConfig& config) {
  Settings first;
  for (const Axis& axis : config.axes) first.push_back({axis.name, axis.values.front()});
  return make_cell_spec(first, config.measure.seed).reads;
}

LimitsOptions asked(const LimitsCommandOptions& options) {
  LimitsOptions wanted;
  wanted.only = options.only;
  wanted.min_time = options.min_time;
  fs::path dataset;
  if (!options.config.empty()) {
    const SweepConfig config = load_sweep(options.config, {});
    if (config.dataset.is_own()) {
      throw ConfigError(fmt::format(
          "{}: dataset.torch: only PyTorch can load this dataset; limits needs dataset.path",
          options.config.string()));
    }
    dataset = config.dataset.path;
    wanted.own = OwnData{dataset, config.pipeline, reads_of(config)};
  }
  wanted.folder = folder_for(options, dataset);
  return wanted;
}

void print_progress(Console& console, const Limit& row, std::size_t done, std::size_t total) {
  const std::string line = fmt::format("[{}/{}] {}", done + 1, total, id_of(row));
  if (console.err_is_terminal) {
    console.err << '\r' << line << "\033[K" << std::flush;
  } else {
    console.err << line << std::endl;
  }
}

bool is_complete(const Limits& limits) {
  return std::all_of(limits.sections.begin(), limits.sections.end(), [](const auto& section) {
    return std::none_of(section.rows.begin(), section.rows.end(),
                        [](const Limit& row) { return std::isnan(row.value); });
  });
}

}  // namespace

int run_limits(const LimitsCommandOptions& options, Console& console) {
  const LimitsOptions wanted = asked(options);
  const Environment environment = machine_environment(wanted.folder);
  const Limits limits = measure_limits(
      wanted,
      [&](const Limit& row, std::size_t done, std::size_t total) {
        print_progress(console, row, done, total);
      },
      console.stop);
  if (console.err_is_terminal) console.err << "\r\033[K" << std::flush;
  if (options.json) {
    print_limits_json(console.out, limits, environment);
  } else {
    print_limits(console.out, limits, terminal_width());
    print_warnings(console.out, "these figures", environment.warnings);
  }
  if (limits.is_interrupted) {
    console.err << "feedrate: interrupted; the measured limits are printed\n";
    return kExitInterrupted;
  }
  return is_complete(limits) ? kExitOk : kExitCellFailed;
}

}  // namespace feedrate
