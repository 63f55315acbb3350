// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/summary_print.h"

#include <cstddef>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analysis/profile/summary_table.h"

namespace feedrate {
namespace {

using Row = SummaryRow;

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string percent(const std::optional<double>& share) { return share ? percent(*share) : "-"; }

Row cost_row(std::string title, double seconds, double share) {
  return {std::move(title), in_us(seconds), fmt::format("{:.2f}", 100 * share)};
}

std::string memory_text(const GpuProperties& gpu) {
  if (gpu.memory_bytes == 0) return "-";
  return fmt::format("{:.2f} GiB", static_cast<double>(gpu.memory_bytes) / kBytesPerGiB);
}

template <class Text>
Row gpu_row(std::string title, const std::vector<GpuSummary>& gpus, Text text) {
  Row row{std::move(title)};
  for (const GpuSummary& gpu : gpus) row.push_back(text(gpu));
  return row;
}

void print_execution_summary(std::ostream& out, const ExecutionSummary& summary) {
  const std::size_t steps = summary.steps.size();
  out << fmt::format("Execution Summary ({} {})\n", steps, steps == 1 ? "step" : "steps");
  std::vector<Row> rows = {{"Category", "Time Duration (us)", "Percentage (%)"}};
  rows.push_back(cost_row("Average Step Time", summary.step_seconds, steps == 0 ? 0.0 : 1.0));
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const auto role = static_cast<Role>(i);
    rows.push_back(
        cost_row(std::string(role_title(role)), summary.seconds(role), summary.share(role)));
  }
  print_summary_table(out, rows);
}

void print_advice(std::ostream& out, const std::vector<Advice>& advice) {
  out << "Performance Recommendation\n";
  if (advice.empty()) out << "N/A\n";
  for (const Advice& piece : advice) {
    out << "* " << piece.text << '\n' << "  Because: " << piece.evidence << ".\n";
  }
}

}  // namespace

void print_gpu_summary(std::ostream& out, const std::vector<GpuSummary>& gpus) {
  out << "GPU Summary\n";
  if (gpus.empty()) {
    out << "no kernels\n";
    return;
  }
  print_summary_table(
      out,
      {gpu_row("", gpus,
               [](const auto& gpu) { return fmt::format("GPU {}", gpu.properties.device); }),
       gpu_row(
           "Name", gpus,
           [](const auto& gpu) { return gpu.properties.name.empty() ? "-" : gpu.properties.name; }),
       gpu_row("Memory", gpus, [](const auto& gpu) { return memory_text(gpu.properties); }),
       gpu_row("Compute Capability", gpus,
               [](const auto& gpu) { return capability_number(gpu.properties); }),
       gpu_row("GPU Utilization", gpus, [](const auto& gpu) { return percent(gpu.utilization); }),
       gpu_row("Est. SM Efficiency", gpus,
               [](const auto& gpu) { return percent(gpu.sm_efficiency); }),
       gpu_row("Est. Achieved Occupancy", gpus,
               [](const auto& gpu) { return percent(gpu.achieved_occupancy); }),
       gpu_row("Kernel Time using Tensor Cores", gpus,
               [](const auto& gpu) { return percent(gpu.tensor_core_share); })});
}

void print_summary(std::ostream& out, const ProfileSummary& summary) {
  print_execution_summary(out, summary.execution);
  out << '\n';
  print_gpu_summary(out, summary.gpus);
  out << '\n';
  print_gpu_times(out, summary);
  print_advice(out, summary.advice);
}

}  // namespace feedrate
