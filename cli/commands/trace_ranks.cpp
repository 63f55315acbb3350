// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/trace_ranks.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

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

void RankTable::add(const TraceReport& report) {
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

void RankTable::print(std::ostream& out) const {
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

}  // namespace feedrate
