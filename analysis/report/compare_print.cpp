// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/compare_print.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"

namespace feedrate {
namespace {

constexpr std::size_t kShownLines = 20;

std::string range_text(const Interval& interval) {
  return fmt::format("{:.3f} to {:.3f}", interval.low, interval.high);
}

std::string plain(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : kMissing;
}

std::string verdict_text(const AgainstBaseline& against) {
  if (!against.disturbed.empty()) {
    return fmt::format("{}: {} disturbed", to_string(against.verdict), against.disturbed);
  }
  return fmt::format("{}{}", to_string(against.verdict),
                     against.is_regression ? ", REGRESSION" : "");
}

using ComparedCells = std::span<const ComparedCell>;

class ComparisonPrinter {
 public:
  ComparisonPrinter(std::ostream& out, const Comparison& comparison, TableStyle style,
                    std::size_t width)
      : out_(out), comparison_(comparison), style_(style), width_(width) {}

  void print() const {
    print_sources();
    print_cells();
    for (const ComparedRun& run : comparison_.runs) print_summary(run);
    for (const ComparedRun& run : comparison_.runs) print_lists(run);
    print_outcome();
  }

 private:
  [[nodiscard]] bool is_markdown() const { return style_ == TableStyle::kMarkdown; }

  void print_paragraph(const std::string& text) const {
    out_ << one_line(text, style_) << (is_markdown() ? "\n\n" : "\n");
  }

  void print_sources() const {
    print_source(comparison_.baseline_label, comparison_.baseline_name,
                 {comparison_.baseline_loader, comparison_.baseline_simulation});
    for (const ComparedRun& run : comparison_.runs) {
      print_source(run.label, run.name, {run.loader, run.simulation});
    }
    if (!is_markdown()) out_ << '\n';
  }

  void print_source(const std::string& label, const std::string& name,
                    std::vector<std::string> remarks) const {
    std::erase(remarks, "");
    print_paragraph(remarks.empty()
                        ? fmt::format("{}: {}", label, name)
                        : fmt::format("{}: {} ({})", label, name, fmt::join(remarks, "; ")));
  }

  void print_cells() const {
    const auto [cells, limits] = split_limits();
    if (comparison_.cells.empty()) {
      print_paragraph("No cell was measured in both with the same settings.");
    }
    print_rows(cells);
    if (limits.empty()) return;
    if (!cells.empty()) out_ << '\n';
    print_paragraph("Reference cells, with a mock trainer or a mock loader:");
    print_rows(limits);
  }

  [[nodiscard]] std::pair<ComparedCells, ComparedCells> split_limits() const {
    const ComparedCells all(comparison_.cells);
    const auto first = std::find_if(all.begin(), all.end(),
                                    [](const ComparedCell& cell) { return cell.is_limit; });
    const auto cells = static_cast<std::size_t>(first - all.begin());
    return {all.first(cells), all.subspan(cells)};
  }

  void print_rows(ComparedCells cells) const {
    if (cells.empty()) return;
    comparison_.runs.size() == 1 ? print_two(cells) : print_many(cells);
  }

  [[nodiscard]] std::string ratio_title(const ComparedRun& run) const {
    return fmt::format("{}/{}", run.label, comparison_.baseline_label);
  }

  [[nodiscard]] std::string confidence() const {
    return fmt::format("{:g} %", 100.0 * comparison_.rule.confidence);
  }

  void print_two(ComparedCells cells) const {
    const ComparedRun& run = comparison_.runs.front();
    const std::string loading = "loading_time " + ratio_title(run);
    TextTable table;
    table.add_column("cell", Align::kLeft);
    for (const std::string& title :
         {comparison_.baseline_label, run.label, ratio_title(run), confidence(), loading}) {
      table.add_column(title, Align::kRight);
    }
    table.add_column("verdict", Align::kLeft);
    for (const ComparedCell& cell : cells) {
      const AgainstBaseline& against = *cell.against.front();
      table.add_row({cell.name, format_value(cell.baseline_rate, Unit::kSamplesPerSecond),
                     format_value(against.rate, Unit::kSamplesPerSecond), plain(against.ratio),
                     against.ratio_interval ? range_text(*against.ratio_interval) : kMissing,
                     plain(against.loading_time_ratio), verdict_text(against)});
    }
    const std::vector<std::string> left_out = table.fit(
        width_, std::array<std::string_view, 3>{loading, comparison_.baseline_label, run.label});
    table.print(out_, style_);
    if (left_out.empty()) return;
    print_paragraph(fmt::format("Not shown in {} columns: {}; --format csv has them.", width_,
                                fmt::join(left_out, ", ")));
  }

  void print_many(ComparedCells cells) const {
    TextTable table;
    table.add_column("cell", Align::kLeft);
    table.add_column(comparison_.baseline_label, Align::kRight);
    for (const ComparedRun& run : comparison_.runs) {
      table.add_column(fmt::format("{}, {}", ratio_title(run), confidence()), Align::kLeft);
    }
    for (const ComparedCell& cell : cells) {
      std::vector<std::string> row{cell.name,
                                   format_value(cell.baseline_rate, Unit::kSamplesPerSecond)};
      for (const auto& against : cell.against) row.push_back(against_text(against));
      table.add_row(std::move(row));
    }
    table.wrap(width_);
    table.print(out_, style_);
  }

  static std::string against_text(const std::optional<AgainstBaseline>& against) {
    if (!against) return kMissing;
    const std::string interval =
        against->ratio_interval ? fmt::format(" ({})", range_text(*against->ratio_interval)) : "";
    return fmt::format("{:.3f}{} {}", against->ratio, interval, verdict_text(*against));
  }

  void print_summary(const ComparedRun& run) const {
    if (!run.mean_ratio) return;
    const std::string interval =
        run.mean_ratio_interval ? fmt::format(" ({})", range_text(*run.mean_ratio_interval)) : "";
    out_ << '\n';
    print_paragraph(fmt::format("{}, geometric mean of the cells: {:.3f}{}. {}.", ratio_title(run),
                                *run.mean_ratio, interval, counts_text(run)));
    print_chance(run);
  }

  [[nodiscard]] std::size_t index_of(const ComparedRun& run) const {
    return static_cast<std::size_t>(&run - comparison_.runs.data());
  }

  template <typename Predicate>
  [[nodiscard]] std::size_t count(ComparedCells cells, const ComparedRun& run,
                                  Predicate holds) const {
    const std::size_t index = index_of(run);
    return static_cast<std::size_t>(
        std::count_if(cells.begin(), cells.end(), [&](const ComparedCell& cell) {
          return cell.against[index] && holds(*cell.against[index]);
        }));
  }

  [[nodiscard]] std::string counts_text(const ComparedRun& run) const {
    std::vector<std::string> counts;
    for (const Verdict verdict :
         {Verdict::kWin, Verdict::kTie, Verdict::kLose, Verdict::kUndecided}) {
      const std::size_t cells =
          count(split_limits().first, run,
                [=](const AgainstBaseline& against) { return against.verdict == verdict; });
      if (cells > 0) counts.push_back(fmt::format("{} {}", cells, to_string(verdict)));
    }
    return fmt::format("{}", fmt::join(counts, ", "));
  }

  void print_chance(const ComparedRun& run) const {
    const std::size_t judged = count(split_limits().first, run, [](const AgainstBaseline& against) {
      return against.ratio_interval.has_value();
    });
    if (judged < 2) return;
    print_paragraph(
        fmt::format("Without any real difference, up to {:.2g} of these {} cells would be a WIN or "
                    "a LOSE by chance; REGRESSION is corrected for this.",
                    (1.0 - comparison_.rule.confidence) * static_cast<double>(judged), judged));
  }

  void print_lists(const ComparedRun& run) const {
    const std::string& base = comparison_.baseline_label;
    const std::string both = fmt::format("{} and {}", base, run.label);
    print_list(fmt::format("Why comparing {} may be unfair", both), run.cautions);
    print_list(fmt::format("Measured in only one of {}", both), lines_of(run, run.not_compared));
    print_list(fmt::format("In {}, not in {}", base, run.label), run.unmatched_baseline);
    print_list(fmt::format("In {}, not in {}", run.label, base), run.unmatched);
    print_list(fmt::format("Several cells of {} or {} with the same settings, not compared", base,
                           run.label),
               run.ambiguous);
    print_list(fmt::format("Settings of {}, unknown in {}", base, run.label),
               run.settings_only_in_baseline);
    print_list(fmt::format("Settings of {}, unknown in {}", run.label, base),
               run.settings_only_here);
    print_list("Not matched by", lines_of(run, run.ignored));
    print_list("Constant but different; --ignore excludes them from matching",
               lines_of(run, run.constants));
    print_list(fmt::format("Environment of {}", both), lines_of(run, run.environment));
  }

  [[nodiscard]] std::vector<std::string> lines_of(const ComparedRun& run,
                                                  const std::vector<Difference>& items) const {
    const auto text = [](const std::string& value) { return value.empty() ? kMissing : value; };
    std::vector<std::string> lines;
    for (const Difference& item : items) {
      lines.push_back(fmt::format("{}: {} in {}, {} in {}", item.name, text(item.a),
                                  comparison_.baseline_label, text(item.b), run.label));
    }
    return lines;
  }

  void print_list(const std::string& title, const std::vector<std::string>& lines) const {
    if (lines.empty()) return;
    out_ << fmt::format("\n{} ({}):\n{}", title, lines.size(), is_markdown() ? "\n" : "");
    const auto print_line = [this](const std::string& line) {
      out_ << (is_markdown() ? "- " : "  ") << one_line(line, style_) << '\n';
    };
    const std::size_t shown = std::min(lines.size(), kShownLines);
    for (std::size_t i = 0; i < shown; ++i) print_line(lines[i]);
    if (lines.size() > shown) print_line(fmt::format("and {} more", lines.size() - shown));
  }

  void print_outcome() const {
    for (const ComparedRun& run : comparison_.runs) {
      if (!comparison_.has_common_cells(index_of(run))) continue;
      out_ << '\n';
      print_paragraph(outcome_of(run));
    }
  }

  [[nodiscard]] std::string tested_text(const ComparedRun& run) const {
    const auto any = [](const AgainstBaseline&) { return true; };
    const auto [cells, limits] = split_limits();
    const std::size_t apart = count(limits, run, any);
    const std::string text = fmt::format("{} cells", count(cells, run, any));
    return apart == 0
               ? text
               : fmt::format("{} and {} reference cell{}", text, apart, apart == 1 ? "" : "s");
  }

  [[nodiscard]] std::string outcome_of(const ComparedRun& run) const {
    const std::string cells = tested_text(run);
    const std::size_t slower = count(comparison_.cells, run, [](const AgainstBaseline& against) {
      return against.is_regression;
    });
    const std::string beyond = fmt::format("{:.3g} %", 100.0 * comparison_.rule.threshold);
    if (slower == 0 && run.broken.empty()) {
      return fmt::format("{}: no regression beyond {} in {}{}.", run.label, beyond, cells,
                         unjudged_text(run));
    }
    return fmt::format("{}: {} of {} regressed beyond {}{}; {} failed that {} could run.",
                       run.label, slower, cells, beyond, unjudged_text(run), run.broken.size(),
                       comparison_.baseline_label);
  }

  [[nodiscard]] std::string unjudged_text(const ComparedRun& run) const {
    std::string text;
    const auto add = [&](std::size_t cells, const char* why) {
      if (cells > 0) text += fmt::format(", {} of which {}", cells, why);
    };
    add(count(comparison_.cells, run,
              [](const AgainstBaseline& against) { return !against.disturbed.empty(); }),
        "were disturbed");
    add(count(comparison_.cells, run,
              [](const AgainstBaseline& against) { return !against.ratio_interval; }),
        "have no interval");
    return text;
  }

  std::ostream& out_;
  const Comparison& comparison_;
  TableStyle style_;
  std::size_t width_;
};

}  // namespace

void print_comparison(std::ostream& out, const Comparison& comparison, TableStyle style,
                      std::size_t width) {
  ComparisonPrinter(out, comparison, style, width).print();
}

}  // namespace feedrate
