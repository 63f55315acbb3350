// SPDX-License-Identifier: Apache-2.0
#include "bench/profile_writer.h"

#include <ostream>
#include <sstream>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "analysis/decision.h"
#include "analysis/profile/summary.h"
#include "analysis/profile/summary_print.h"
#include "analysis/profile/trace_writer.h"
#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

constexpr const char* kSummaries = "profile.txt";
constexpr const char* kTraces = "traces";
constexpr const char* kHeading = "\n== cell ";

std::string trace_name(const CellResult& cell) {
  return fmt::format("{}/cell-{:03}.json", kTraces, cell.index);
}

}  // namespace

ProfileWriter::ProfileWriter(std::filesystem::path folder, const ProfileOptions& options,
                             const RunResult& run)
    : folder_(std::move(folder)), options_(options), run_(run) {
  if (options_.summary) touch_file(folder_ / kSummaries);
  if (options_.summary && options_.keep_earlier) read_summaries();
  if (!options_.trace) return;
  std::error_code error;
  std::filesystem::create_directories(folder_ / kTraces, error);
  if (error) {
    throw ConfigError(
        fmt::format("{}: cannot be created: {}", (folder_ / kTraces).string(), error.message()));
  }
}

void ProfileWriter::take(const RunProfile& profile) {
  if (options_.trace) write_trace_file(profile);
  if (!options_.summary) return;
  std::ostringstream text;
  print_summary(text, summarize(profile.timeline, profile.facts));
  summaries_[cell_->index] = text.str();
  write_summaries();
}

void ProfileWriter::print_proposed(std::ostream& out) const {
  for (const Proposal& answer : decide(run_)) {
    const auto summary = summaries_.find(answer.proposed->index);
    if (summary == summaries_.end()) continue;
    out << fmt::format(
        "\n"
        "Time breakdown of {}:\n"
        "\n"
        "{}",
        title(*answer.proposed), summary->second);
  }
}

std::vector<std::string> ProfileWriter::files() const {
  std::vector<std::string> names;
  if (options_.summary) names.emplace_back(kSummaries);
  if (options_.trace) names.push_back(fmt::format("{}/ (open in ui.perfetto.dev)", kTraces));
  return names;
}

void ProfileWriter::write_trace_file(const RunProfile& profile) const {
  TraceInfo info;
  info.title = fmt::format("feedrate: {}", title(*cell_));
  for (const Setting& setting : cell_->settings) {
    std::string text = to_string(setting.value);
    if (!text.empty()) info.metadata.emplace_back(setting.name, std::move(text));
  }
  info.metadata.emplace_back("simulated", simulation_notice(run_));
  std::ostringstream text;
  write_trace(text, profile.timeline, info);
  replace_file(folder_ / trace_name(*cell_), text.str());
}

void ProfileWriter::read_summaries() {
  const std::string text = read_whole_file(folder_ / kSummaries);
  for (const CellResult& cell : run_.cells) {
    const std::string heading = heading_of(cell);
    const std::size_t found = text.find(heading);
    if (found == std::string::npos) continue;
    const std::size_t begin = found + heading.size();
    summaries_[cell.index] = text.substr(begin, text.find(kHeading, begin) - begin);
  }
}

void ProfileWriter::write_summaries() const {
  std::string text = simulation_notice(run_) + "\n";
  for (const auto& [index, summary] : summaries_) text += heading_of(run_.cells[index]) + summary;
  replace_file(folder_ / kSummaries, text);
}

std::string ProfileWriter::heading_of(const CellResult& cell) const {
  return fmt::format("{}{}: {}\n\n", kHeading, cell.index, title(cell));
}

std::string ProfileWriter::title(const CellResult& cell) const {
  return name_cell(cell, varying_settings(run_));
}

}  // namespace feedrate
