// SPDX-License-Identifier: Apache-2.0
#include "profile/trace_report.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/format.h"
#include "core/text_table.h"
#include "profile/device_work.h"
#include "profile/summary_print.h"
#include "profile/trace_findings_print.h"

namespace feedrate {
namespace {

// What every trace says, or what only a viewer needs.
bool is_worth_showing(std::string_view fact) {
  constexpr std::array<std::string_view, 5> kDull{"schemaVersion", "displayTimeUnit",
                                                  "baseTimeNanoseconds", "traceName", "trace_id"};
  return std::find(kDull.begin(), kDull.end(), fact) == kDull.end();
}

void print_facts(std::ostream& out, const TraceFile& file) {
  for (const auto& [name, value] : file.facts) {
    if (!is_worth_showing(name)) continue;
    out << one_line(fmt::format("{}: {}", name, value), TableStyle::kTerminal) << '\n';
  }
}

void print_reading(std::ostream& out, const TraceFile& file) {
  out << fmt::format("{} events, {} of them used\n", count_text(file.events),
                     count_text(file.timeline.activities.size() + file.timeline.steps.size()));
  if (file.repaired > 0) {
    out << fmt::format("{} of {} events are invalid JSON (bare words, quotes) and were repaired\n",
                       count_text(file.repaired), count_text(file.events));
  }
  if (file.damaged_at) {
    out << fmt::format("The file is damaged near byte {}; what stands before that was read.\n",
                       count_text(*file.damaged_at));
  }
  if (file.is_cut) {
    out << "The file is truncated, as if the program was killed while writing; the available part "
           "was read.\n";
  }
}

void print_steps_found(std::ostream& out, const TraceReport& report) {
  const std::vector<StepCosts>& steps = report.summary.execution.steps;
  const std::size_t marked = report.file.timeline.steps.size();
  if (marked == 0) {
    out << "No step is marked: all figures are for the whole recording. Give the profiler a "
           "schedule, and call prof.step() after each step.\n";
    return;
  }
  out << fmt::format(
      "{} steps{}{}\n", steps.size(),
      steps.empty() ? ""
                    : fmt::format(", ProfilerStep#{} to #{}", steps.front().step.number,
                                  steps.back().step.number),
      marked == steps.size()
          ? ""
          : fmt::format("; the last {} of {} skipped: the recording ended before their GPU work",
                        marked - steps.size(), marked));
}

bool has_gpu(const Timeline& timeline) {
  return std::any_of(timeline.activities.begin(), timeline.activities.end(), is_device_work);
}

}  // namespace

TraceReport make_trace_report(std::string name, TraceFile file) {
  TraceReport report;
  report.name = std::move(name);
  report.file = std::move(file);
  const Timeline& timeline = report.file.timeline;
  report.summary = summarize(timeline);
  std::vector<StepSpan> steps;
  for (const StepCosts& costs : report.summary.execution.steps) steps.push_back(costs.step);
  report.loader = loader_stalls(timeline, steps);
  return report;
}

void print_trace_report(std::ostream& out, const TraceReport& report) {
  const TraceFile& file = report.file;
  const ExecutionSummary& execution = report.summary.execution;
  out << one_line(report.name, TableStyle::kTerminal) << '\n';
  print_facts(out, file);
  print_reading(out, file);
  print_steps_found(out, report);
  const bool with_gpu = has_gpu(file.timeline);
  if (!with_gpu) {
    out << "The trace has no GPU activity: it was recorded on a CPU, or without "
           "ProfilerActivity.CUDA.\n";
  }
  out << '\n';
  print_summary(out, report.summary);
  if (!execution.steps.empty()) {
    out << '\n';
    print_steps(out, execution, report.loader);
  }
  out << '\n';
  print_loader(out, execution, report.loader);
  if (with_gpu) {
    out << '\n';
    print_copies(out, report.summary.copies);
  }
}

}  // namespace feedrate
