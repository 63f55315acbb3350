// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/transfer_print.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/report/csv_text.h"
#include "core/format.h"

namespace feedrate {
namespace {

constexpr std::size_t kShownDisagreements = 10;

// Dropped in this order.
constexpr std::string_view kRedundantColumns[] = {"step_time A", "step_time B", "samples/s A",
                                                  "samples/s B"};

std::string plain(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f}", value) : kMissing;
}

std::string signed_percent(double value) {
  return std::isfinite(value) ? fmt::format("{:.1f} %", 100.0 * value) : kMissing;
}

std::string marks(const TransferredCell& cell) {
  std::string text;
  const auto add = [&](bool applies, const char* mark) {
    if (applies) text += fmt::format("{}{}", text.empty() ? "" : ", ", mark);
  };
  add(cell.is_best_in_a, "best in A");
  add(cell.is_proposed_by_a, "proposed by A");
  add(cell.is_best_in_b, "best in B");
  return text;
}

std::string source(const std::string& label, const std::string& simulation) {
  return simulation.empty() ? label : fmt::format("{} ({})", label, simulation);
}

class TransferPrinter {
 public:
  TransferPrinter(std::ostream& out, const Transfer& transfer, TableStyle style, std::size_t width)
      : out_(out), transfer_(transfer), style_(style), width_(width) {}

  void print() const {
    print_sources();
    if (transfer_.cells.empty()) {
      print_paragraph("No cell was measured in both with the same settings.");
    } else {
      print_cells();
      out_ << '\n';
      print_figures();
      print_remarks();
    }
    print_lists();
  }

 private:
  [[nodiscard]] bool is_markdown() const { return style_ == TableStyle::kMarkdown; }

  void print_paragraph(const std::string& text) const {
    out_ << one_line(text, style_) << (is_markdown() ? "\n\n" : "\n");
  }

  void print_sources() const {
    print_paragraph(fmt::format("A: {}", source(transfer_.label_a, transfer_.simulation_a)));
    print_paragraph(fmt::format("B: {}", source(transfer_.label_b, transfer_.simulation_b)));
    for (const Difference& setting : transfer_.ignored) {
      if (setting.a == setting.b) continue;
      print_paragraph(fmt::format("Not matched by {}: {} in A, {} in B", setting.name,
                                  setting.a.empty() ? kMissing : setting.a,
                                  setting.b.empty() ? kMissing : setting.b));
    }
    if (!is_markdown()) out_ << '\n';
  }

  void print_cells() const {
    TextTable table;
    for (const std::string& name : transfer_.varying) table.add_column(name, Align::kRight);
    for (const char* const title : {"step_time A", "step_time B", "error", "samples/s A",
                                    "samples/s B", "rank A", "rank B"}) {
      table.add_column(title, Align::kRight);
    }
    table.add_column("", Align::kLeft);
    for (const TransferredCell& cell : transfer_.cells) {
      std::vector<std::string> row = cell.settings;
      row.insert(row.end(),
                 {format_value(cell.step_time_a, Unit::kSeconds),
                  format_value(cell.step_time_b, Unit::kSeconds), format_gain(cell.error),
                  format_number(cell.rate_a), format_number(cell.rate_b),
                  fmt::format("{:g}", cell.rank_a), fmt::format("{:g}", cell.rank_b), marks(cell)});
      table.add_row(std::move(row));
    }
    const std::vector<std::string> left_out = table.fit(width_, kRedundantColumns);
    table.print(out_, style_);
    if (left_out.empty()) return;
    print_paragraph(fmt::format("Not shown in {} columns: {}; --csv has them.", width_,
                                fmt::join(left_out, ", ")));
  }

  void print_figures() const {
    const TransferFigures& figures = transfer_.figures;
    TextTable table;
    table.add_column("over all cells", Align::kLeft);
    table.add_column("value", Align::kRight);
    table.add_column("95 %", Align::kRight);
    add_row(table, "Kendall's tau-b", figures.tau, plain);
    add_row(table, "tau-b, pairs distinguishable in B", figures.distinguishable_tau, plain);
    add_row(table, "Spearman's rho", figures.rho, plain);
    add_row(table, "regret in B of A's best", figures.regret, signed_percent);
    add_row(table, "regret in B of A's proposal", figures.proposal_regret, signed_percent);
    add_row(table, "error of step_time, median", figures.median_error, signed_percent);
    add_row(table, "error of step_time, largest", figures.largest_error, signed_percent);
    table.print(out_, style_);
  }

  static void add_row(TextTable& table, const char* name, const Estimate& estimate,
                      std::string (*text)(double)) {
    table.add_row({name, text(estimate.value),
                   estimate.interval ? fmt::format("{} to {}", text(estimate.interval->low),
                                                   text(estimate.interval->high))
                                     : kMissing});
  }

  void print_remarks() const {
    const TransferFigures& figures = transfer_.figures;
    out_ << '\n';
    print_paragraph(fmt::format(
        "{} cells make {} pairs; {} of them are not distinguishable in B and are excluded from the "
        "second tau-b.",
        transfer_.cells.size(), figures.pairs, figures.pairs - figures.distinguishable_pairs));
    print_paragraph(fmt::format("A regret up to {} is within the noise of B.",
                                signed_percent(figures.significant_regret)));
    if (figures.cells_without_starts > 0) {
      print_paragraph(fmt::format(
          "No intervals: {} of {} cells have fewer than two recorded repeats in A or in B. "
          "run.json records repeats, a CSV does not; measure.repeats sets their number.",
          figures.cells_without_starts, transfer_.cells.size()));
    }
  }

  void print_lists() const {
    if (transfer_.skipped_in_both > 0) {
      print_paragraph(fmt::format("Skipped in both: {}.", transfer_.skipped_in_both));
    }
    print_list("Opposite order in B, beyond its noise", transfer_.disagreements,
               kShownDisagreements);
    std::vector<std::string> unmeasured;
    for (const Difference& cell : transfer_.not_measured) {
      unmeasured.push_back(fmt::format("{}: {} in A, {} in B", cell.name, cell.a, cell.b));
    }
    print_list("Not measured in both", unmeasured);
    print_list("Only in A", transfer_.unmatched_a);
    print_list("Only in B", transfer_.unmatched_b);
    print_list("Several cells with the same settings, not matched", transfer_.ambiguous);
    print_list("Reference cells, not compared", transfer_.limits);
    print_list("In neither A nor B", transfer_.undivided);
  }

  void print_list(const char* title, const std::vector<std::string>& lines,
                  std::size_t most = std::numeric_limits<std::size_t>::max()) const {
    if (lines.empty()) return;
    out_ << fmt::format("\n{} ({}):\n{}", title, lines.size(), is_markdown() ? "\n" : "");
    const auto print_line = [this](const std::string& line) {
      out_ << (is_markdown() ? "- " : "  ") << one_line(line, style_) << '\n';
    };
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) print_line(lines[i]);
    if (lines.size() > most) print_line(fmt::format("and {} more", lines.size() - most));
  }

  std::ostream& out_;
  const Transfer& transfer_;
  TableStyle style_;
  std::size_t width_;
};

}  // namespace

void print_transfer(std::ostream& out, const Transfer& transfer, TableStyle style,
                    std::size_t width) {
  TransferPrinter(out, transfer, style, width).print();
}

void write_transfer_csv(std::ostream& out, const Transfer& transfer) {
  std::vector<std::string> header = transfer.varying;
  header.insert(header.end(), {"step_time_a", "step_time_b", "step_time_error",
                               "samples_per_second_a", "samples_per_second_b", "rank_a", "rank_b"});
  out << csv_line(header);
  for (const TransferredCell& cell : transfer.cells) {
    std::vector<std::string> fields = cell.settings;
    for (const double value : {cell.step_time_a, cell.step_time_b, cell.error, cell.rate_a,
                               cell.rate_b, cell.rank_a, cell.rank_b}) {
      fields.push_back(csv_number(value));
    }
    out << csv_line(fields);
  }
}

}  // namespace feedrate
