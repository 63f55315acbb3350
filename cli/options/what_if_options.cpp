// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands/what_if.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "core/quantity.h"

namespace feedrate {
namespace {

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
