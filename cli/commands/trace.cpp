// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/profile/trace_report.h"
#include "cli/commands/trace_ranks.h"
#include "cli/output_file.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "core/host/progress.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

TraceFile read(const std::filesystem::path& path, Console& console) {
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

int run_one(const std::filesystem::path& file, const TraceOptions& options, Console& console) {
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

}  // namespace

int run_trace(const TraceOptions& options, Console& console) {
  const std::vector<std::filesystem::path> files = trace_files(options.files);
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
  for (const std::filesystem::path& file : files) {
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

}  // namespace feedrate
