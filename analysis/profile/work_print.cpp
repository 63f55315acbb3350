// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analysis/profile/gpu_summary.h"
#include "analysis/profile/summary_table.h"
#include "analysis/profile/trace_findings_print.h"
#include "core/format.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostWorkRows = 10;
constexpr std::size_t kLongestName = 60;
constexpr std::size_t kLongestShapes = 40;

std::string shortened(std::string text, std::size_t longest) {
  text = one_line(text, TableStyle::kTerminal);
  if (text.size() <= longest) return text;
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string mean_us(const WorkSum& sum) {
  if (sum.count == 0) return "-";
  return fmt::format("{:.1f}", 1e6 * to_seconds(sum.time) / static_cast<double>(sum.count));
}

SummaryRow type_row(std::string title, const WorkSum& sum, Nanos total) {
  return {std::move(title), count_text(sum.count), in_us(sum.time), percent_of(sum.time, total)};
}

std::string title_of(const char* what, std::size_t count) {
  return count <= kMostWorkRows ? fmt::format("{} (all of the recording)\n", what)
                                : fmt::format("{} (all of the recording; the first {} of {})\n",
                                              what, kMostWorkRows, count);
}

std::string yes_or_no(const std::optional<bool>& value) {
  if (!value) return "-";
  return *value ? "yes" : "no";
}

std::string gib(std::uint64_t bytes) {
  if (bytes == 0) return "-";
  return fmt::format("{:.3f} GiB", static_cast<double>(bytes) / kBytesPerGiB);
}

bool is_recorded(const MemoryPeak& peak) {
  return peak.allocated_bytes > 0 || peak.reserved_bytes > 0;
}

}  // namespace

void print_work_types(std::ostream& out, const KernelTable& table) {
  out << "GPU Work by Type (all of the recording)\n";
  std::vector<SummaryRow> rows{{"", "Count", "Time (us)", "Share (%)"}};
  for (std::size_t i = 0; i < kWorkTypes.size(); ++i) {
    rows.push_back(
        type_row(std::string(work_type_title(kWorkTypes[i])), table.types[i], table.total()));
    if (kWorkTypes[i] == Role::kKernel && table.on_tensor_cores) {
      rows.push_back(type_row("  on tensor cores", *table.on_tensor_cores, table.total()));
    }
  }
  print_summary_table(out, rows);
}

void print_kernels(std::ostream& out, const KernelTable& table, const NameTable& names) {
  out << title_of("Kernels", table.kernels.size());
  std::vector<SummaryRow> rows{
      {"", "Calls", "Time (us)", "Share (%)", "Mean (us)", "Longest (us)", "Tensor cores"}};
  for (const KernelRow& row : table.kernels) {
    if (rows.size() > kMostWorkRows) break;
    rows.push_back({shortened(names.text(row.name), kLongestName), count_text(row.sum.count),
                    in_us(row.sum.time), percent_of(row.sum.time, table.total()), mean_us(row.sum),
                    fmt::format("{:.1f}", 1e6 * to_seconds(row.longest)),
                    yes_or_no(row.on_tensor_cores)});
  }
  print_summary_table(out, rows);
}

void print_operators(std::ostream& out, const std::vector<OperatorRow>& operators,
                     const NameTable& names) {
  out << title_of("Operators", operators.size());
  std::vector<SummaryRow> rows{
      {"", "Calls", "GPU (us)", "Host, self (us)", "TFLOP/s", "Input shapes"}};
  for (const OperatorRow& row : operators) {
    if (rows.size() > kMostWorkRows) break;
    const std::optional<double> rate = row.flops_per_second();
    rows.push_back(
        {shortened(names.text(row.name), kLongestName), count_text(row.calls), in_us(row.device),
         in_us(row.host), rate ? fmt::format("{:.2f}", *rate / 1e12) : "-",
         row.shapes == kNoName ? "-" : shortened(names.text(row.shapes), kLongestShapes)});
  }
  print_summary_table(out, rows);
}

void print_memory_peaks(std::ostream& out, const Timeline& timeline) {
  std::vector<SummaryRow> rows{{"", "Allocated", "Reserved"}};
  const auto add = [&](std::string title, const MemoryPeak& peak) {
    if (!is_recorded(peak)) return;
    rows.push_back({std::move(title), gib(peak.allocated_bytes), gib(peak.reserved_bytes)});
  };
  for (const GpuProperties& gpu : timeline.gpus) add(fmt::format("GPU {}", gpu.device), gpu.peak);
  add("CPU", timeline.host_peak);
  if (rows.size() == 1) return;
  out << "Memory Peak (of PyTorch's allocators)\n";
  print_summary_table(out, rows);
  out << '\n';
}

}  // namespace feedrate
