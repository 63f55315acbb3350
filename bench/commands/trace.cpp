#include "bench/commands/trace.h"

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bench/commands/trace_report.h"
#include "bench/progress.h"
#include "report/durable_file.h"

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

}  // namespace

int run_trace(const TraceOptions& options, Console& console) {
  const TraceReport report = make_trace_report(options.file.string(), read(options.file, console));
  print_trace_report(console.out, report);
  if (!options.json.empty()) replace_file(options.json, to_json(report));
  if (!options.config_out.empty()) {
    replace_file(options.config_out, to_sweep_yaml(report));
    console.out << fmt::format("\nWritten: {}; name your dataset in it, then `feedrate sweep {}`\n",
                               options.config_out.string(), options.config_out.string());
  }
  return kExitOk;
}

}  // namespace feedrate
