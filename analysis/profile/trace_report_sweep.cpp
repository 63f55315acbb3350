// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "analysis/profile/trace_report.h"
#include "core/error.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

constexpr std::size_t kTimesPerLine = 10;

std::vector<double> step_times_ms(const TraceReport& report) {
  std::vector<double> times;
  const std::vector<StepCosts>& steps = report.summary.execution.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TimeInterval& span = steps[i].step.span;
    times.push_back(1e3 * to_seconds(span.length() - report.loader.steps[i].exposed));
  }
  return times;
}

std::string in_lines(const std::vector<double>& times) {
  std::string text;
  for (std::size_t i = 0; i < times.size(); ++i) {
    text += i == 0 ? "" : i % kTimesPerLine == 0 ? ",\n    " : ", ";
    text += fmt::format("{:.3f}", times[i]);
  }
  return text;
}

bool has(const TraceReport& report, MemoryKind kind) {
  return std::any_of(report.summary.copies.begin(), report.summary.copies.end(),
                     [kind](const CopyFinding& copy) { return copy.source == kind; });
}

std::string loader_section(const TraceReport& report) {
  const bool is_pinned = has(report, MemoryKind::kPinned);
  const bool is_pageable = has(report, MemoryKind::kPageable);
  const char* const seen = is_pinned     ? "as in the trace"
                           : is_pageable ? "the trace copies from pageable memory: false"
                                         : "the trace has no copy to a GPU";
  return fmt::format(
      "loader:\n"
      "  batch_size: 64  # not in the trace: set yours\n"
      "  num_workers: [0, 1, 2, 4, 8]\n"
      "  pin_memory: true  # {}\n"
      "  shuffle: true\n",
      seen);
}

std::string device_section(const TraceReport& report) {
  const bool waits = std::any_of(report.summary.copies.begin(), report.summary.copies.end(),
                                 [](const CopyFinding& copy) { return copy.blocking > 0; });
  return fmt::format(
      "device:\n"
      "  name: auto\n"
      "  non_blocking: {}  # {}\n",
      !waits, report.summary.copies.empty() ? "the trace has no copy to a GPU" : "as in the trace");
}

}  // namespace

std::string to_sweep_yaml(const TraceReport& report) {
  const std::string name = one_line(report.name, TableStyle::kTerminal);
  const ExecutionSummary& execution = report.summary.execution;
  if (report.file.timeline.steps.empty() || execution.steps.empty()) {
    throw ConfigError(
        fmt::format("--config-out: {} marks no steps, so there is nothing to replay; give the "
                    "profiler a schedule, and call prof.step() after each step",
                    name));
  }
  double exposed = 0;
  for (const StepLoading& step : report.loader.steps) exposed += to_seconds(step.exposed);
  const auto count = static_cast<double>(execution.steps.size());
  return fmt::format(
      "# How many workers keep up with the training loop of {}?\n"
      "#\n"
      "# Written by `feedrate trace`. The trace has {} steps of {:.3f} ms on average. For {:.3f} "
      "ms of these, {:.2f} %,\n"
      "# the loop waited for its loader and the GPU was idle. The trainer below takes the rest of "
      "each step.\n"
      "dataset:\n"
      "  path: data/my-dataset  # set yours: a folder of images, or the output of `feedrate data "
      "convert`\n"
      "{}{}trainer:\n"
      "  kind: trace\n"
      "  steps_ms: [\n"
      "    {}]\n"
      "measure: {{steps: {}, repeats: 3}}\n",
      name, execution.steps.size(), 1e3 * execution.step_seconds, 1e3 * exposed / count,
      execution.step_seconds > 0 ? 100 * exposed / count / execution.step_seconds : 0.0,
      loader_section(report), device_section(report), in_lines(step_times_ms(report)),
      std::max<std::size_t>(execution.steps.size(), 50));
}

}  // namespace feedrate
