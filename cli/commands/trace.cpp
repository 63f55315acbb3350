// SPDX-License-Identifier: Apache-2.0
// feedrate trace FILE...: analyzes the steps and their loader in a trace of the PyTorch profiler.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/profile/trace_report.h"
#include "cli/options/subcommands.h"
#include "cli/output_file.h"
#include "core/error.h"
#include "core/host/console.h"
#include "core/host/durable_file.h"
#include "core/host/progress.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

struct TraceOptions {
  std::vector<fs::path> files;  // .json, .json.gz, or folders of them; one per rank
  fs::path json;                // output for programs, a list for several files; empty: none
  fs::path config_out;          // a sweep with these steps; empty: none
};

bool could_be_trace(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

std::vector<fs::path> traces_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file() && could_be_trace(entry->path())) files.push_back(entry->path());
  }
  if (error) throw SystemError(folder.string(), "cannot list", error.value());
  if (files.empty()) {
    throw ConfigError(fmt::format(
        "{}: has no .json or .json.gz file; must be a folder of tensorboard_trace_handler",
        folder.string()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string percent_of(Nanos part, Nanos whole) {
  return whole == Nanos(0) ? "-" : percent(to_seconds(part) / to_seconds(whole));
}

// Replaces each folder in `named` by its .json and .json.gz files, sorted by name. Throws
// ConfigError for a folder without any.
std::vector<fs::path> trace_files(const std::vector<fs::path>& named) {
  std::vector<fs::path> files;
  for (const fs::path& path : named) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::vector<fs::path> inside = traces_in(path);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

// A row per trace, in the order of their rank numbers.
class RankTable {
 public:
  void add(const TraceReport& report) {
    const ExecutionSummary& execution = report.summary.execution;
    Row row{report.file.rank,
            {report.file.rank ? std::to_string(*report.file.rank) : "-",
             std::to_string(execution.steps.size()),
             fmt::format("{:.3f}", 1e3 * execution.step_seconds)}};
    for (const Role role : {Role::kKernel, Role::kCommunication, Role::kDataLoader}) {
      row.cells.push_back(percent(execution.share(role)));
    }
    const TemporalBreakdown gpu =
        report.summary.temporal.empty() ? TemporalBreakdown() : report.summary.temporal.front();
    for (const Nanos part : {gpu.idle, gpu.compute, gpu.non_compute}) {
      row.cells.push_back(percent_of(part, gpu.total));
    }
    row.cells.push_back(percent_of(gpu.overlapped, gpu.communication));
    row.cells.push_back(fs::path(report.name).filename().string());
    rows_.push_back(std::move(row));
  }

  void print(std::ostream& out) const {
    TextTable table;
    for (const char* title :
         {"Rank", "Steps", "Step (ms)", "Kernel (%)", "Communication (%)", "DataLoader (%)",
          "GPU idle (%)", "Compute (%)", "Non-compute (%)", "Communication overlapped (%)"}) {
      table.add_column(title, Align::kRight);
    }
    table.add_column("File", Align::kLeft);
    std::vector<Row> rows = rows_;
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.rank && (!b.rank || *a.rank < *b.rank);
    });
    for (Row& row : rows) table.add_row(std::move(row.cells));
    out << "Traces side by side\n";
    table.print(out, TableStyle::kTerminal);
  }

 private:
  struct Row {
    std::optional<std::uint64_t> rank;
    std::vector<std::string> cells;
  };

  std::vector<Row> rows_;
};

TraceFile read(const fs::path& path, Console& console) {
  constexpr std::uint64_t kMegabyte = 1'000'000;
  std::optional<Progress> progress;
  std::uint64_t shown = 0;
  TraceReadOptions options;
  options.stop = console.stop;
  options.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!progress) progress.emplace(console, "reading MB", total / kMegabyte);
    const std::uint64_t now = done / kMegabyte;
    if (now > shown) progress->advance(now - std::exchange(shown, now));
  };
  return read_trace(path, options);
}

int run_one(const fs::path& file, const TraceOptions& options, Console& console) {
  const TraceReport report = make_trace_report(file.string(), read(file, console));
  print_trace_report(console.out, report);
  if (!options.json.empty()) replace_file(options.json, to_json(report));
  if (!options.config_out.empty()) {
    replace_file(options.config_out, to_sweep_yaml(report));
    console.out << fmt::format(
        "\nWritten: {}; set dataset.path in it, then run `feedrate sweep {}`\n",
        options.config_out.string(), options.config_out.string());
  }
  return kExitOk;
}

// Returns kExitOk even if parts of a file could not be read, which it prints. Throws ConfigError
// for --config-out with several files.
int run_trace(const TraceOptions& options, Console& console) {
  const std::vector<fs::path> files = trace_files(options.files);
  require_output_is_no_input(options.json, "--json", files);
  require_output_is_no_input(options.config_out, "--config-out", files);
  if (files.size() == 1) return run_one(files.front(), options, console);
  if (!options.config_out.empty()) {
    throw ConfigError(
        fmt::format("--config-out: needs one trace, and there are {}; name one, such as {}",
                    files.size(), files.front().string()));
  }
  RankTable ranks;
  std::vector<std::string> json;
  for (const fs::path& file : files) {
    const TraceReport report = make_trace_report(file.string(), read(file, console));
    print_trace_report(console.out, report);
    console.out << "\n\n";
    ranks.add(report);
    if (!options.json.empty()) json.push_back(to_json(report));
  }
  ranks.print(console.out);
  if (!options.json.empty()) {
    replace_file(options.json, fmt::format("[\n{}]\n", fmt::join(json, ",\n")));
  }
  return kExitOk;
}

}  // namespace

void add_trace(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("trace",
                         "Analyze a PyTorch profiler trace: where the time of the steps goes, the "
                         "wait for the loader, whether batches were pinned, and what to change.");
  const auto options = std::make_shared<TraceOptions>();
  command
      ->add_option(
          "file", options->files,
          "trace written by export_chrome_trace or tensorboard_trace_handler, .json or .json.gz, "
          "or its folder; for several, one per rank, also print a table of the ranks")
      ->required();
  command->add_option(
      "--config-out", options->config_out,
      "write a sweep configuration that replays the steps of the trace to this file");
  command->add_option("--json", options->json, "also write the figures to this file");
  command->callback(
      [=] { chosen([=](Console& console) { return run_trace(*options, console); }); });
}

}  // namespace feedrate
