// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analysis/profile/summary_print.h"
#include "analysis/profile/summary_table.h"

namespace feedrate {
namespace {

template <class Part>
SummaryRow share_row(std::string title, const std::vector<DeviceTimes>& devices, Part part) {
  SummaryRow row{std::move(title)};
  for (const DeviceTimes& times : devices) row.push_back(percent_of(part(times), times.steps));
  return row;
}

std::string stream_title(const IdleBreakdown& idle) {
  return fmt::format("GPU {}, {}", idle.device,
                     idle.name.empty() ? fmt::format("stream {}", idle.stream) : idle.name);
}

void print_device_times(std::ostream& out, const std::vector<DeviceTimes>& devices) {
  out << "GPU Time (% of the steps)\n";
  SummaryRow title{""};
  for (const DeviceTimes& times : devices) title.push_back(fmt::format("GPU {}", times.device));
  const auto row = [&](const char* name, auto part) { return share_row(name, devices, part); };
  print_summary_table(
      out, {title, row("Kernel running", [](const auto& gpu) { return gpu.kernels; }),
            row("Copy running", [](const auto& gpu) { return gpu.copies; }),
            row("  hidden by a kernel", [](const auto& gpu) { return gpu.overlap; }),
            row("  exposed", [](const auto& gpu) { return gpu.exposed_copy(); }),
            row("Idle", [](const auto& gpu) { return gpu.idle.total(); }),
            row("  host in next()", [](const auto& gpu) { return gpu.idle.loader; }),
            row("  host in a CUDA call", [](const auto& gpu) { return gpu.idle.runtime; }),
            row("  host in an operator", [](const auto& gpu) { return gpu.idle.operators; }),
            row("  host elsewhere", [](const auto& gpu) { return gpu.idle.other; }),
            row("Idle after a wait of the host",
                [](const auto& gpu) { return gpu.idle_after_waits(); })});
}

void print_temporal_breakdown(std::ostream& out, const std::vector<TemporalBreakdown>& gpus) {
  out << "Temporal Breakdown (from the first to the last work of a GPU)\n";
  std::vector<SummaryRow> rows{{"", "Time (us)", "Idle (%)", "Compute (%)", "Non-Compute (%)",
                                "Communication (%)", "Overlapped (%)"}};
  for (const TemporalBreakdown& gpu : gpus) {
    rows.push_back(
        {fmt::format("GPU {}", gpu.device), in_us(gpu.total), percent_of(gpu.idle, gpu.total),
         percent_of(gpu.compute, gpu.total), percent_of(gpu.non_compute, gpu.total),
         percent_of(gpu.communication, gpu.total), percent_of(gpu.overlapped, gpu.communication)});
  }
  print_summary_table(out, rows);
}

void print_idle_breakdown(std::ostream& out, const std::vector<IdleBreakdown>& streams) {
  out << "Idle Breakdown (gaps of a stream, by cause)\n";
  std::vector<SummaryRow> rows{{"", "Idle (us)", "Host (%)", "Kernel (%)", "Other (%)"}};
  for (const IdleBreakdown& idle : streams) {
    rows.push_back(
        {stream_title(idle), in_us(idle.total()), percent_of(idle.host_wait, idle.total()),
         percent_of(idle.kernel_wait, idle.total()), percent_of(idle.other, idle.total())});
  }
  print_summary_table(out, rows);
}

}  // namespace

void print_gpu_times(std::ostream& out, const ProfileSummary& summary) {
  if (!summary.devices.empty()) {
    print_device_times(out, summary.devices);
    out << '\n';
  }
  if (summary.temporal.empty()) return;
  print_temporal_breakdown(out, summary.temporal);
  out << '\n';
  print_idle_breakdown(out, summary.stream_idle);
  out << '\n';
}

}  // namespace feedrate
