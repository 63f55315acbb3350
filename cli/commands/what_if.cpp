// SPDX-License-Identifier: Apache-2.0
// feedrate what-if: predicts a recorded run with another GPU, other cores, or more cached data.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/report/foreign_table.h"
#include "analysis/report/load_run.h"
#include "analysis/tuner/changed_world.h"
#include "analysis/tuner/replayable.h"
#include "analysis/tuner/scaling.h"
#include "analysis/tuner/scaling_text.h"
#include "analysis/tuner/what_if_text.h"
#include "cli/commands/what_if_json.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/host/console.h"
#include "core/host/cpu.h"
#include "core/quantity.h"

namespace feedrate {
namespace {

enum class WhatIfFormat { kTable, kJson };

struct WhatIfOptions {
  std::filesystem::path run;  // a folder, run.json or cells.csv
  // How to read `run` if another program wrote it.
  std::optional<ForeignColumns> table;
  World world;  // unchanged: the standard questions
  // Nodes that share a storage; nothing: the recorded machine.
  std::optional<ScalingQuestion> scaling;
  // CPUs of the recorded machine; nothing: from the run, else from this machine.
  std::optional<double> recorded_cores;
  WhatIfFormat format = WhatIfFormat::kTable;
};

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

// Throws ConfigError if the run lacks usable cells, or those that the question needs.
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

constexpr const char* kWhatIfFooter =
    "Nothing is measured. The model of `feedrate tune` is fitted to the measured cells and "
    "predicts\n"
    "them under the changed conditions. Without options: a table of common changes.\n"
    "\n"
    "Examples:\n"
    "  feedrate what-if feedrate-results/A\n"
    "  feedrate what-if feedrate-results/A --gpu-speed 2 --cores 16\n"
    "  feedrate what-if feedrate-results/A --ranks 8 --nodes 64 --storage-bandwidth 100GB/s \\\n"
    "      --storage-latency 1ms --metadata-rate 50k/s --node-bandwidth 25GB/s\n"
    "  feedrate what-if feedrate-results/A --cached 50%    after a sweep with --axis "
    "cache=warm,cold\n"
    "  feedrate what-if course.csv --columns workers=num_workers,seconds=epoch_time \\\n"
    "      --given batch_size=256,samples=50000 --recorded-cores 8\n"
    "`feedrate help what-if` has the formulas and the limits of the model, `feedrate help scaling` "
    "those\n"
    "for several nodes.";

CLI::Validator quantity_validator(Quantity quantity, const char* example, double least) {
  return {[=](std::string& text) {
            const std::optional<double> value = parse_quantity(text, quantity);
            if (!value || !(*value >= least)) {
              return fmt::format("{}: not a valid quantity; must be like {}", text, example);
            }
            text = fmt::format("{}", *value);
            return std::string();
          },
          ""};
}

void add_storage(CLI::App& command, ScalingQuestion& question) {
  constexpr double kTiny = 1e-9;
  Cluster& cluster = question.cluster;
  const auto add = [&](const char* name, auto& target, const char* help, Quantity quantity,
                       const char* example, double least) {
    command.add_option(name, target, help)
        ->transform(quantity_validator(quantity, example, least))
        ->type_name(example)
        ->needs("--nodes");
  };
  add("--storage-bandwidth", cluster.storage_bandwidth,
      "bandwidth of the shared storage, all nodes together; default: no limit", Quantity::kBytes,
      "100GB/s", kTiny);
  add("--storage-latency", cluster.storage_latency, "latency of the shared storage; default: 0",
      Quantity::kSeconds, "1ms", 0.0);
  add("--metadata-rate", cluster.metadata_rate,
      "file opens of the shared storage, all nodes together; default: no limit", Quantity::kCount,
      "50k/s", kTiny);
  add("--node-bandwidth", cluster.node_bandwidth,
      "bandwidth of each node's link to the storage; default: no limit", Quantity::kBytes, "25GB/s",
      kTiny);
  add("--sample-bytes", question.sample_bytes, "size of a sample; default: from the run",
      Quantity::kBytes, "110KB", 0.0);
}

void add_nodes(CLI::App& command, WhatIfOptions& options,
               const std::shared_ptr<ScalingQuestion>& question) {
  command
      .add_option_function<std::size_t>(
          "--nodes",
          [&options, question](std::size_t nodes) {
            question->cluster.nodes = nodes;
            options.scaling = *question;
          },
          "predict up to N nodes that share one storage")
      ->check(CLI::Range(std::size_t{1}, std::size_t{4096}).description(""))
      ->type_name("N");
  command
      .add_option(
          "--ranks", question->cluster.ranks_per_node,
          "training processes per node, each with one GPU and the cores of the run; default 1")
      ->check(CLI::Range(std::size_t{1}, std::size_t{64}).description(""))
      ->type_name("N")
      ->needs("--nodes");
  add_storage(command, *question);
  command
      .add_option("--metadata-per-sample", question->metadata_per_sample,
                  "file opens per sample; default: from the run")
      ->check(in_range(0.0, 1000.0))
      ->needs("--nodes");
}

void add_world(CLI::App& command, WhatIfOptions& options) {
  command
      .add_option("--gpu-speed", options.world.gpu_speed,
                  "speedup of the GPU's compute; copies are unchanged; default 1")
      ->check(in_range(0.01, 1000.0));
  command
      .add_option("--cores", options.world.cores,
                  "number of CPUs for the loader; default: as in the run")
      ->check(in_range(1.0, 1024.0));
  command
      .add_option("--cached", options.world.cached,
                  "share of the data in the page cache: 50% or 0.5; needs cells with cache=warm "
                  "and cache=cold")
      ->transform(share_validator())
      ->type_name("SHARE")
      ->check(in_range(0.0, 1.0));
}

}  // namespace

void add_what_if(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "what-if", "Predict a run with a faster GPU, more cores, more cached data, or more nodes.");
  const auto options = std::make_shared<WhatIfOptions>();
  command
      ->add_option("run", options->run,
                   "results of a sweep or a tune: a folder, run.json or cells.csv; or another CSV, "
                   "with --columns")
      ->required();
  add_foreign_table(*command, options->table);
  add_world(*command, *options);
  const auto question = std::make_shared<ScalingQuestion>();
  add_nodes(*command, *options, question);
  command
      ->add_option("--recorded-cores", options->recorded_cores,
                   "CPUs of the machine of the run; default: from the run, else this machine")
      ->check(in_range(1.0, 1024.0));
  command->add_option("--format", options->format, "table or json; default table")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, WhatIfFormat>{{"table", WhatIfFormat::kTable},
                                                          {"json", WhatIfFormat::kJson}})
                      .description(""))
      ->type_name("table|json");
  command
      ->add_flag_callback(
          "--json", [=] { options->format = WhatIfFormat::kJson; }, "print JSON, as --format json")
      ->excludes("--format");
  command->footer(kWhatIfFooter);
  command->callback([=] {
    // the other options may follow --nodes
    if (options->scaling) options->scaling = *question;
    chosen([=](Console& console) { return run_what_if(*options, console); });
  });
}

}  // namespace feedrate
