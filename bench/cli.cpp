#include "bench/cli.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/build_info.h"
#include "bench/commands/calibrate.h"
#include "bench/commands/calibrate_device.h"
#include "bench/commands/columns.h"
#include "bench/commands/compare.h"
#include "bench/commands/data_convert.h"
#include "bench/commands/data_info.h"
#include "bench/commands/data_make.h"
#include "bench/commands/data_verify.h"
#include "bench/commands/env.h"
#include "bench/commands/sweep.h"
#include "bench/commands/trace.h"
#include "bench/commands/transfer.h"
#include "bench/plan/knobs.h"
#include "core/error.h"
#include "device/open.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok · 1 a cell failed, or data is damaged or differs · 2 usage or configuration "
    "·\n"
    "3 compare found a regression · 130 interrupted (what is known is written first)\n\n"
    "Start here:\n"
    "  feedrate sweep configs/quickstart.yaml      measure, print the table and the best settings\n"
    "  feedrate plan configs/quickstart.yaml       what that would run, and how long it takes\n"
    "  feedrate compare feedrate-results/A B       did it get better or worse?";

// Called with a command when its subcommand was named.
using Chosen = std::function<void(Command)>;

std::string join_formats() {
  std::string names;
  for (const Format& format : formats())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  return names;
}

std::string knob_help() {
  std::string text = "Knobs (YAML section.key = --axis and --only name = CSV column):\n";
  for (const Knob& knob : knobs()) {
    text += fmt::format("  {:<19} {}\n", knob.name, knob.help);
  }
  text += fmt::format("Formats: {}\nDevices: {}", join_formats(), fmt::join(known_devices(), ", "));
  return text;
}

// CLI11's own names the largest double when it refuses 0, and lets what is too large for 64 bits
// pass.
CLI::Validator positive(double most = 1e9) {
  return {[most](const std::string& text) {
            const double value = std::strtod(text.c_str(), nullptr);
            return value >= 1.0 && value <= most
                       ? std::string()
                       : fmt::format("{}: must be 1 to {:.0f}", text, most);
          },
          "POSITIVE"};
}

void add_overrides(CLI::App& command, SweepOptions& options) {
  command.add_option("config", options.config, "the sweep, a YAML file")->required();
  SweepOverrides& overrides = options.overrides;
  command
      .add_option("--axis", overrides.axes,
                  "values for a knob instead of the file's: --axis num_workers=0,2,4")
      ->allow_extra_args(false);
  command
      .add_option("--only", overrides.only, "only cells with these values: --only format=lmdb,tar")
      ->allow_extra_args(false);
  command.add_option("--device", overrides.device,
                     "the device instead of the file's: auto, cuda, sim:a100-pcie4, …");
  command.add_option("--steps", overrides.steps, "kept steps of a repeat")->check(positive());
  command.add_option("--repeats", overrides.repeats, "starts of the loader per cell")
      ->check(positive());
  command.add_option("--seed", overrides.seed,
                     "of the shuffle, the random transforms and the order of cells");
  command.footer(knob_help());
}

void add_sweep(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "sweep", "Measure every cell of a sweep; print the table and the best settings.");
  const auto options = std::make_shared<SweepOptions>();
  options->command_line = command_line;
  add_overrides(*command, *options);
  command->add_option("--out", options->out,
                      "results folder; default: feedrate-results/<config>-<time>");
  command->add_flag("--trace", options->profile.trace,
                    "also write each cell's timeline, to be opened in ui.perfetto.dev");
  command->add_flag("--profile", options->profile.summary,
                    "also sum up where each cell's time goes: Execution Summary, GPU Summary and "
                    "Performance Recommendation");
  command->callback(
      [=] { chosen([=](Console& console) { return run_sweep(*options, console); }); });
}

void add_plan(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("plan",
                         "List the cells of a sweep, what is skipped and why, and the time "
                         "and memory it will take; run nothing.");
  const auto options = std::make_shared<SweepOptions>();
  add_overrides(*command, *options);
  command->callback([=] { chosen([=](Console& console) { return run_plan(*options, console); }); });
}

struct CompareArguments {
  CompareOptions compare;
  TransferCommandOptions transfer;
  bool is_transfer = false;
};

void add_transfer(CLI::App& command, CompareArguments& arguments) {
  CLI::Option* flag = command.add_flag(
      "--transfer", arguments.is_transfer,
      "do settings chosen with A hold in B? Agreement of the cells' ranks, regret, errors");
  TransferCommandOptions& options = arguments.transfer;
  command
      .add_option("--by", options.by,
                  "divide A by a setting's two values instead of reading B: engine, or "
                  "engine=native,torch")
      ->needs(flag);
  command
      .add_option("--ignore", options.ignored,
                  "settings that cells are not matched by, beside engine and all that is constant "
                  "in A and another constant in B")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(flag);
  command
      .add_option("--only", options.only,
                  "of A only the cells with this value: --only emulate=profile.yaml")
      ->allow_extra_args(false)
      ->needs(flag);
  command.add_flag("--markdown", options.markdown, "print Markdown")->needs(flag);
  command.add_option("--csv", options.csv, "also write the cells into this file")->needs(flag);
}

int run(const CompareArguments& arguments, Console& console) {
  const CompareOptions& compare = arguments.compare;
  if (arguments.is_transfer) {
    TransferCommandOptions options = arguments.transfer;
    options.a = compare.a;
    options.b = compare.b;
    return run_transfer(options, console);
  }
  if (compare.b.empty()) throw ConfigError("compare: needs two results, A and B");
  return run_compare(compare, console);
}

void add_compare(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare two results cell by cell; exit code 3 if B is slower than A.");
  const auto arguments = std::make_shared<CompareArguments>();
  CompareOptions& options = arguments->compare;
  command->add_option("a", options.a, "results folder, run.json or cells.csv")->required();
  command->add_option("b", options.b, "the same, later or elsewhere; none with --by");
  command
      ->add_option("--threshold", options.threshold,
                   "loss of samples/s that counts as a regression; default 0.05, 5 %")
      ->check(CLI::Range(0.0, 0.999));
  add_transfer(*command, *arguments);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

struct CalibrateArguments {
  CalibrateOptions torch;
  CalibrateDeviceOptions device;
  bool is_torch = false;
  std::optional<std::filesystem::path> out;
  std::optional<std::size_t> repeats;
};

int run(CalibrateArguments arguments, Console& console) {
  const auto start = [&](auto options, int (*command)(const decltype(options)&, Console&)) {
    if (arguments.out) options.out = *arguments.out;
    if (arguments.repeats) options.repeats = *arguments.repeats;
    return command(options, console);
  };
  return arguments.is_torch || !arguments.torch.config.empty()
             ? start(arguments.torch, run_calibrate)
             : start(arguments.device, run_calibrate_device);
}

void add_calibrate(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("calibrate",
                         "Measure this GPU, as a preset for `device: sim:FILE.yaml`; or, with "
                         "--torch or a sweep, what "
                         "PyTorch's DataLoader costs here beyond the native loader, as a profile "
                         "for `emulate:`. Takes "
                         "seconds, and about 3 minutes with --torch; leave the machine alone.");
  const auto arguments = std::make_shared<CalibrateArguments>();
  command->add_option("config", arguments->torch.config,
                      "with --torch: a sweep whose samples are measured, too");
  command->add_flag("--torch", arguments->is_torch,
                    "the real DataLoader, in the Python that has torch");
  command->add_option("--device", arguments->device.device,
                      "the GPU to measure: cuda:1; or a simulated one; default: cuda");
  command->add_option("--out", arguments->out,
                      "default: device-preset.yaml; with --torch: cost-profile.yaml");
  command->add_option("--repeats", arguments->repeats, "of each measurement")->check(positive());
  command
      ->add_option("--axis", arguments->torch.overrides.axes,
                   "with a sweep, values for a knob instead of the file's: --axis format=lmdb")
      ->allow_extra_args(false);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

void add_trace(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "trace",
      "Say what a trace of the PyTorch profiler shows: where the steps' time goes, what they waited "
      "for the loader, whether batches were pinned, and what to do.");
  const auto options = std::make_shared<TraceOptions>();
  command
      ->add_option("file", options->file,
                   "what export_chrome_trace or tensorboard_trace_handler wrote, .json or .json.gz")
      ->required();
  command->add_option("--config-out", options->config_out,
                      "write a sweep whose trainer takes the trace's steps into this file");
  command->add_option("--json", options->json, "also write the figures into this file");
  command->callback(
      [=] { chosen([=](Console& console) { return run_trace(*options, console); }); });
}

void add_env(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "env", "Print this machine and every reason to doubt numbers taken on it.");
  const auto options = std::make_shared<EnvOptions>();
  command->add_option("--dataset", options->dataset, "also look at the storage of this path");
  command->add_flag("--json", options->json, "as JSON");
  command->callback([=] { chosen([=](Console& console) { return run_env(*options, console); }); });
}

void add_columns(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand("columns", "Print what each column of a result means.");
  command->callback([=] { chosen(run_columns); });
}

// What the formats' writers take.
template <typename Options>
void add_writer_options(CLI::App& command, Options& options) {
  command.add_option("--format", options.format,
                     "storage format; default: told by the suffix of DST, else folder");
  command.add_option("--chunk", options.chunk, "hdf5-decoded: samples a chunk; default 1")
      ->check(positive());
  command
      .add_option("--shard-bytes", options.shard_bytes,
                  "tar into a folder: begin a new shard beyond this; default 1 GiB")
      ->transform(CLI::AsSizeValue(false))
      ->check(positive(1e18));
}

template <typename Options>
void add_threads(CLI::App& command, Options& options) {
  command.add_option("--threads", options.threads, "default: one for each usable CPU");
}

void add_data_make(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "make", "Make a dataset of seeded synthetic images that compress as photographs do.");
  const auto options = std::make_shared<DataMakeOptions>();
  command->add_option("dst", options->target, "the new dataset; must not exist")->required();
  add_writer_options(*command, *options);
  command->add_option("--preset", options->preset,
                      "what it resembles: cifar10-like (the default) or imagenet-like");
  command->add_option("--count", options->count, "images; default 10000")->check(positive());
  command->add_option("--seed", options->seed, "other seeds give other images; default 0");
  command->add_option("--size", options->size, "WxH, or N for N×N; default: the preset's sizes");
  command->add_option("--encoding", options->encoding, "png or jpeg; default: the preset's");
  command->add_option("--quality", options->quality, "of JPEG, 1 to 100; default: the preset's");
  command->add_option("--classes", options->classes, "default: the preset's");
  add_threads(*command, *options);
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_make(*options, console); }); });
}

void add_data_convert(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "convert", "Write a dataset anew in another format: your own folder of images, too.");
  const auto options = std::make_shared<DataConvertOptions>();
  command->add_option("src", options->source, "a dataset of any format")->required();
  command->add_option("dst", options->target, "the new dataset; must not exist")->required();
  add_writer_options(*command, *options);
  command->add_flag("--strict", options->strict,
                    "a record that cannot be decoded is an error; otherwise it is named and left "
                    "out");
  command->add_flag("!--no-decode-check", options->decode_check,
                    "copy encoded images without decoding each once");
  add_threads(*command, *options);
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_convert(*options, console); }); });
}

void add_data_info(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand("info", "Say what a dataset is.");
  const auto options = std::make_shared<DataInfoOptions>();
  command->add_option("path", options->path, "a dataset of any format")->required();
  command->add_option("--sample", options->sample, "records looked at; default 1000")
      ->check(positive());
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_info(*options, console); }); });
}

void add_data_verify(CLI::App& data, const Chosen& chosen) {
  CLI::App* command = data.add_subcommand(
      "verify", "Prove that two datasets deliver identical bytes or pixels, record by record.");
  const auto options = std::make_shared<DataVerifyOptions>();
  command->add_option("a", options->a, "a dataset of any format")->required();
  command->add_option("b", options->b, "another one")->required();
  add_threads(*command, *options);
  command->callback(
      [=] { chosen([=](Console& console) { return run_data_verify(*options, console); }); });
}

void add_data(CLI::App& app, const Chosen& chosen) {
  CLI::App* data = app.add_subcommand("data", "Make, convert, inspect and verify datasets.");
  data->require_subcommand(1);
  data->footer(fmt::format("Formats: {}", join_formats()));
  add_data_make(*data, chosen);
  add_data_convert(*data, chosen);
  add_data_info(*data, chosen);
  add_data_verify(*data, chosen);
}

std::string join_arguments(int argc, const char* const* argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) line += fmt::format("{}{}", i == 0 ? "" : " ", argv[i]);
  return line;
}

const CLI::App& innermost(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : innermost(*named.front());
}

// CLI11 would only say that a command is missing; the argument that was not understood says more.
std::string name_stranger(const CLI::App& app) {
  const std::vector<std::string> strangers = app.remaining(true);
  if (strangers.empty()) return {};
  const CLI::App& at = innermost(app);
  std::vector<std::string> commands;
  for (const CLI::App* command : at.get_subcommands({})) commands.push_back(command->get_name());
  return commands.empty() ? fmt::format("feedrate: {}: not an option of {}; `--help` lists them\n",
                                        strangers.front(), at.get_name())
                          : fmt::format("feedrate: {}: no such command; there are {}\n",
                                        strangers.front(), fmt::join(commands, ", "));
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string stranger = name_stranger(app);
  if (!stranger.empty()) return stranger;
  return fmt::format("feedrate: {}\nRun with --help for more information.\n", error.what());
}

}  // namespace

ParsedCommand parse_command_line(int argc, const char* const* argv) {
  CLI::App app("feedrate finds the DataLoader settings that keep a GPU fed, and proves it.",
               "feedrate");
  app.set_version_flag("--version", fmt::format("feedrate {}", kVersion));
  app.require_subcommand(1);
  app.footer(kFooter);
  ParsedCommand parsed;
  const Chosen chosen = [&parsed](Command command) { parsed.run = std::move(command); };
  add_sweep(app, join_arguments(argc, argv), chosen);
  add_plan(app, chosen);
  add_compare(app, chosen);
  add_calibrate(app, chosen);
  add_trace(app, chosen);
  add_env(app, chosen);
  add_columns(app, chosen);
  add_data(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, ignored;
    const bool asked = app.exit(error, out, ignored) == 0;
    parsed.run = nullptr;
    parsed.text = asked ? out.str() : explain(app, error);
    parsed.exit_code = asked ? kExitOk : kExitUsage;
  }
  return parsed;
}

}  // namespace feedrate
