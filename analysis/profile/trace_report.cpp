// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_report.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "analysis/profile/device_work.h"
#include "analysis/profile/summary_print.h"
#include "analysis/profile/trace_findings_print.h"
#include "core/format.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

bool is_shown(std::string_view fact) {
  constexpr std::array<std::string_view, 5> kHidden{"schemaVersion", "displayTimeUnit",
                                                    "baseTimeNanoseconds", "traceName", "trace_id"};
  return std::find(kHidden.begin(), kHidden.end(), fact) == kHidden.end();
}

void print_facts(std::ostream& out, const TraceFile& file) {
  for (const auto& [name, value] : file.facts) {
    if (!is_shown(name)) continue;
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
    out << fmt::format("The file is damaged near byte {}; only the part before it was read.\n",
                       count_text(*file.damaged_at));
  }
  if (file.is_truncated) {
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

bool has_calls(const Timeline& timeline) {
  return std::any_of(timeline.activities.begin(), timeline.activities.end(),
                     [](const Activity& activity) { return activity.role == Role::kRuntime; });
}

// Kineto writes the host's events before those of the GPU.
std::string_view explain_missing_gpu(const TraceFile& file) {
  if (file.is_truncated || file.damaged_at) {
    return "The part that was read has no GPU activity. The profiler writes it after the host's, "
           "so it may be missing: the work of the GPU is unknown.\n";
  }
  if (file.profiler_ranges > 0) {
    return "The trace has ranges of CUPTI's range profiler instead of GPU work: it does not show "
           "when kernels ran. Record without profiler_metrics.\n";
  }
  if (has_calls(file.timeline)) {
    return "The trace has calls that launch work, but no GPU activity: the profiler could not "
           "record the GPU, for example because another profiler uses it or CUPTI is missing.\n";
  }
  return "The trace has no GPU activity: it was recorded on a CPU, or without "
         "ProfilerActivity.CUDA.\n";
}

void print_device(std::ostream& out, const TraceFile& file, bool with_gpu) {
  if (!with_gpu) out << explain_missing_gpu(file);
  if (with_gpu && !file.timeline.accelerator.empty()) {
    out << one_line(fmt::format("The device is an accelerator of type {}; the tables call it a "
                                "GPU, and its runtime calls CUDA calls.",
                                file.timeline.accelerator),
                    TableStyle::kTerminal)
        << '\n';
  }
}

void print_work(std::ostream& out, const TraceReport& report, bool with_gpu) {
  const NameTable& names = report.file.timeline.names;
  if (with_gpu) {
    print_work_types(out, report.kernels);
    out << '\n';
  }
  if (!report.kernels.kernels.empty()) {
    print_kernels(out, report.kernels, names);
    out << '\n';
  }
  if (!report.operators.empty()) {
    print_operators(out, report.operators, names);
    out << '\n';
  }
  print_memory_peaks(out, report.file.timeline);
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
  report.kernels = kernel_table(timeline);
  report.operators = operator_table(timeline);
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
  print_device(out, file, with_gpu);
  out << '\n';
  print_summary(out, report.summary);
  out << '\n';
  print_work(out, report, with_gpu);
  if (!execution.steps.empty()) {
    print_steps(out, execution, report.loader);
    out << '\n';
  }
  print_loader(out, execution, report.loader);
  if (with_gpu) {
    out << '\n';
    print_copies(out, report.summary.copies);
  }
}

}  // namespace feedrate
