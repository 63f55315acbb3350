#include <fmt/format.h>

#include "bench/commands/sweep.h"
#include "bench/plan/config.h"
#include "core/error.h"

namespace feedrate {
namespace {

SweepOverrides merged(SweepOverrides stored, const SweepOverrides& given) {
  if (!given.axes.empty()) stored.axes = given.axes;
  if (!given.only.empty()) stored.only = given.only;
  if (given.device) stored.device = given.device;
  if (given.steps) stored.steps = given.steps;
  if (given.repeats) stored.repeats = given.repeats;
  if (given.seed) stored.seed = given.seed;
  stored.no_limits = stored.no_limits || given.no_limits;
  if (given.shard) stored.shard = given.shard;
  return stored;
}

void require_same_config(const SweepOptions& options, const RunResult& run) {
  if (options.config.empty() || load_config(options.config).text == run.config_text) return;
  throw ConfigError(
      fmt::format("{}: is not what {} was measured with; leave it out to go on with "
                  "what is kept there, or start anew with --out",
                  options.config.string(), options.resume.folder.string()));
}

void require_same(const char* flag, std::uint64_t given, std::uint64_t stored, const char* advice) {
  if (given == stored) return;
  throw ConfigError(
      fmt::format("{} {}: the run was begun with {}; {}", flag, given, stored, advice));
}

}  // namespace

SweepOverrides resumed_overrides(const SweepOptions& options, const RunResult& run) {
  require_same_config(options, run);
  const SweepOverrides stored = overrides_from_texts(run.overrides);
  SweepOverrides overrides = merged(stored, options.overrides);
  const MeasureConfig before = load_stored_sweep(run, stored).measure;
  const MeasureConfig now = load_stored_sweep(run, overrides).measure;
  require_same("--steps", now.steps, before.steps, "start anew with --out");
  require_same("--seed", now.seed, before.seed, "start anew with --out");
  require_same("--repeats", now.repeats, before.repeats, "--repeat adds starts to them");
  if (options.resume.extra_repeats > 0) {
    overrides.repeats = before.repeats + options.resume.extra_repeats;
  }
  return overrides;
}

}  // namespace feedrate
