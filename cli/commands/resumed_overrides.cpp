// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "bench/plan/config.h"
#include "cli/commands/sweep.h"
#include "core/error.h"

namespace feedrate {
namespace {

std::string to_text(std::uint64_t number) { return std::to_string(number); }
std::string to_text(const Repeats& repeats) { return to_string(repeats); }

bool adds_rounds(const SweepOverrides& given) {
  return given.repeats && given.repeats->starts_with('+');
}

SweepOverrides merged(SweepOverrides stored, const SweepOverrides& given) {
  if (!given.axes.empty()) stored.axes = given.axes;
  if (!given.only.empty()) stored.only = given.only;
  if (given.device) stored.device = given.device;
  if (given.steps) stored.steps = given.steps;
  if (given.repeats && !adds_rounds(given)) stored.repeats = given.repeats;
  if (given.tolerance) stored.tolerance = given.tolerance;
  if (given.cell_timeout) stored.cell_timeout = given.cell_timeout;
  if (given.seed) stored.seed = given.seed;
  stored.no_limits = stored.no_limits || given.no_limits;
  if (given.sort) stored.sort = given.sort;
  if (given.shard) stored.shard = given.shard;
  return stored;
}

void require_same_config(const SweepOptions& options, const RunResult& run) {
  if (options.config.empty() || load_config(options.config).text == run.config_text) return;
  throw ConfigError(
      fmt::format("{}: differs from what {} was measured with; omit it to resume with the saved "
                  "configuration, or start a new run with --out",
                  options.config.string(), options.resume.folder.string()));
}

void require_same(const char* flag, const auto& given, const auto& stored, const char* advice) {
  if (given == stored) return;
  throw ConfigError(fmt::format("{} {}: the run was started with {}; {}", flag, to_text(given),
                                to_text(stored), advice));
}

// Adds "+6" to the largest number of repeats of a cell.
std::string with_more(const RunResult& run, const Repeats& before, const std::string& added) {
  const Repeats more = parse_repeats(added.substr(1), fmt::format("--repeats {}", added));
  std::size_t most = before.least;
  for (const CellResult& cell : run.cells) most = std::max(most, cell.repeats.size());
  return std::to_string(most + more.least);
}

}  // namespace

SweepOverrides resumed_overrides(const SweepOptions& options, const RunResult& run) {
  require_same_config(options, run);
  const SweepOverrides stored = overrides_from_texts(run.overrides);
  SweepOverrides overrides = merged(stored, options.overrides);
  const MeasureConfig before = load_stored_sweep(run, stored).measure;
  const MeasureConfig now = load_stored_sweep(run, overrides).measure;
  require_same("--steps", now.steps, before.steps, "start a new run with --out");
  require_same("--seed", now.seed, before.seed, "start a new run with --out");
  require_same("--repeats", now.repeats, before.repeats, "--repeats +N adds rounds to them");
  if (adds_rounds(options.overrides)) {
    overrides.repeats = with_more(run, before.repeats, *options.overrides.repeats);
  }
  return overrides;
}

}  // namespace feedrate
