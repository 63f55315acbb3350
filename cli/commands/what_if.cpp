// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/what_if.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "analysis/report/load_run.h"
#include "analysis/tuner/replayable.h"
#include "analysis/tuner/scaling_text.h"
#include "analysis/tuner/what_if_text.h"
#include "cli/commands/what_if_json.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/host/cpu.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

double cores_of(const RunResult& run, const WhatIfOptions& options, Console& console) {
  if (options.recorded_cores) return *options.recorded_cores;
  if (const auto cores = recorded_cores(run)) return *cores;
  const int here = usable_cpus();
  console.err << fmt::format(
      "feedrate: {}: the number of CPUs of its machine is unknown; assuming {} as on this machine; "
      "set it with --recorded-cores\n",
      options.run.string(), here);
  return here;
}

RunResult read_run(const WhatIfOptions& options, Console& console) {
  if (!options.table) return load_run(options.run);
  RunResult run = read_foreign_table(options.run, *options.table);
  if (const std::string missing = missing_limits(run); !missing.empty()) {
    console.err << fmt::format("feedrate: {}: {}\n", options.run.string(), missing);
  }
  return run;
}

void require_answers(const std::vector<Situation>& situations, const WhatIfOptions& options) {
  if (situations.empty()) {
    throw ConfigError(
        fmt::format("{}: has no measured cell with a loader; must be the results of a sweep or a "
                    "tune",
                    options.run.string()));
  }
  const bool has_any =
      std::any_of(situations.begin(), situations.end(),
                  [](const Situation& situation) { return !situation.answers.empty(); });
  if (has_any) return;
  if (options.world.gpu_speed != 1.0 && situations.front().is_loader_alone) {
    throw ConfigError(
        fmt::format("{}: has no row with a training, which --gpu-speed needs; all have "
                    "trainer=discard",
                    options.run.string()));
  }
  throw ConfigError(
      fmt::format("{}: has no pair of cells with cache=warm and cache=cold, which --cached needs; "
                  "sweep with --axis cache=warm,cold",
                  options.run.string()));
}

int answer_scaling(const RunResult& run, double cores, const WhatIfOptions& options,
                   Console& console) {
  ScalingQuestion question = *options.scaling;
  if (options.world.cached) {
    throw ConfigError("--cached: cannot be combined with --nodes, which models shared storage");
  }
  question.world = options.world;
  const std::vector<ScalingAnswer> answers = scale_run(run, cores, question);
  if (answers.empty()) require_answers({}, options);
  const ScalingFindings findings{
      run,     options.run.string(), options.world.cores.value_or(cores), question,
      answers, terminal_width()};
  if (options.format == WhatIfFormat::kJson) {
    write_scaling_json(console.out, findings);
  } else {
    print_scaling(console.out, findings);
  }
  return kExitOk;
}

}  // namespace

std::optional<double> recorded_cores(const RunResult& run) {
  const auto& facts = run.environment.facts;
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [](const Fact& fact) { return fact.name == "cpus_usable"; });
  if (found == facts.end()) return std::nullopt;
  const std::optional<double> cores = parse_number<double>(found->value);
  return cores && *cores >= 1.0 ? cores : std::nullopt;
}

int run_what_if(const WhatIfOptions& options, Console& console) {
  const RunResult run = read_run(options, console);
  require_replayable(run, options.run.string());
  const double cores = cores_of(run, options, console);
  if (options.scaling) return answer_scaling(run, cores, options, console);
  const bool is_standard = options.world == World{};
  const std::vector<World> worlds =
      is_standard ? standard_worlds(cores) : std::vector<World>{options.world};
  const bool is_json = options.format == WhatIfFormat::kJson;
  const std::size_t limited = is_json ? kAllLimits : is_standard ? 0 : kShownCells;
  const std::vector<Situation> situations = what_if(run, cores, worlds, limited);
  require_answers(situations, options);
  const WhatIfFindings findings{run, options.run.string(), cores, situations, terminal_width()};
  if (is_json) {
    write_what_if_json(console.out, findings);
  } else if (is_standard) {
    print_questions(console.out, findings);
  } else {
    print_forecasts(console.out, findings);
  }
  return kExitOk;
}

}  // namespace feedrate
