#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "report/compare.h"
#include "report/format.h"
#include "report/text_table.h"

namespace feedrate {
namespace {

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? fmt::format("{:.3f} to {:.3f}", interval->low, interval->high) : kMissing;
}

void print_cells(std::ostream& out, const Comparison& comparison) {
  TextTable table;
  table.add_column("cell", Align::kLeft);
  for (const char* const title : {"A", "B", "B/A", "95 %", "loading_time B/A"}) {
    table.add_column(title, Align::kRight);
  }
  table.add_column("", Align::kLeft);
  for (const ComparedCell& cell : comparison.cells) {
    table.add_row(
        {cell.name, format_value(cell.rate_a, Unit::kSamplesPerSecond),
         format_value(cell.rate_b, Unit::kSamplesPerSecond), fmt::format("{:.3f}", cell.ratio),
         interval_text(cell.ratio_interval),
         cell.loading_time_ratio ? fmt::format("{:.3f}", *cell.loading_time_ratio) : kMissing,
         cell.is_regression ? "REGRESSION" : ""});
  }
  table.print(out, TableStyle::kTerminal);
}

void print_list(std::ostream& out, const std::string& title,
                const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out << fmt::format("\n{} ({}):\n", title, lines.size());
  for (const std::string& line : lines) {
    out << "  " << one_line(line, TableStyle::kTerminal) << '\n';
  }
}

void print_list(std::ostream& out, const std::string& title, const std::vector<Difference>& items) {
  std::vector<std::string> lines;
  for (const Difference& item : items) {
    lines.push_back(fmt::format("{}: {} in A, {} in B", item.name, item.a, item.b));
  }
  print_list(out, title, lines);
}

void print_simulation(std::ostream& out, const Comparison& comparison) {
  const auto text = [](const std::string& notice) {
    return notice.empty() ? std::string("real device") : notice;
  };
  if (comparison.simulation_a.empty() && comparison.simulation_b.empty()) return;
  out << fmt::format("A: {}. B: {}.\n", text(comparison.simulation_a),
                     text(comparison.simulation_b));
  if (comparison.simulation_a.empty() != comparison.simulation_b.empty()) {
    out << "Warning: one result comes from a simulated device and the other from a real one.\n";
  }
}

double geometric_mean_ratio(const std::vector<ComparedCell>& cells) {
  double logarithms = 0.0;
  for (const ComparedCell& cell : cells) logarithms += std::log(cell.ratio);
  return std::exp(logarithms / static_cast<double>(cells.size()));
}

void print_verdict(std::ostream& out, const Comparison& comparison) {
  const auto slower = std::count_if(comparison.cells.begin(), comparison.cells.end(),
                                    [](const ComparedCell& cell) { return cell.is_regression; });
  const auto broken = static_cast<std::ptrdiff_t>(comparison.broken.size());
  if (comparison.has_regression()) {
    out << fmt::format("\n{} of {} cells regressed beyond {:.3g} %; {} failed in B only.\n", slower,
                       comparison.cells.size(), 100.0 * comparison.threshold, broken);
  } else if (!comparison.cells.empty()) {
    out << fmt::format("\nNo regression beyond {:.3g} % in {} cells.\n",
                       100.0 * comparison.threshold, comparison.cells.size());
  }
}

}  // namespace

void print_comparison(std::ostream& out, const Comparison& comparison) {
  print_simulation(out, comparison);
  if (comparison.cells.empty()) {
    out << "No cell was measured in both with the same settings.\n";
  } else {
    print_cells(out, comparison);
    out << fmt::format("\nGeometric mean of B/A: {:.3f}\n", geometric_mean_ratio(comparison.cells));
  }
  print_list(out, "Measured in one only", comparison.not_compared);
  print_list(out, "Only in A", comparison.unmatched_a);
  print_list(out, "Only in B", comparison.unmatched_b);
  print_list(out, "Several cells alike, not compared", comparison.ambiguous);
  print_list(out, "Settings only in A, not looked at", comparison.settings_only_in_a);
  print_list(out, "Settings only in B, not looked at", comparison.settings_only_in_b);
  print_list(out, "Constant, but different", comparison.constants);
  print_list(out, "Environment", comparison.environment);
  print_verdict(out, comparison);
}

}  // namespace feedrate
