#include "report/table.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <variant>

#include <fmt/format.h>

#include "report/best.h"
#include "report/cell_text.h"
#include "report/columns.h"
#include "report/format.h"

namespace feedrate {
namespace {

std::size_t count(const RunResult& run, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(run.cells.begin(), run.cells.end(),
                    [&](const CellResult& cell) { return cell.outcome == outcome; }));
}

std::string cells_are(std::size_t number) {
  return fmt::format("{} cell{}", number, number == 1 ? "" : "s");
}

class TablePrinter {
 public:
  TablePrinter(std::ostream& out, const RunResult& run, TableStyle style)
      : out_(out), run_(run), style_(style), varying_(varying_settings(run)) {}

  void print() const {
    print_heading();
    print_constants();
    out_ << '\n';
    print_rows();
    print_list("Failed:", failed());
    print_list("Skipped:", skipped());
    print_not_run();
    print_list("Doubts:", run_.environment.doubts);
  }

 private:
  [[nodiscard]] bool is_markdown() const { return style_ == TableStyle::kMarkdown; }

  void print_heading() const {
    const std::string& title = run_.question.empty() ? run_.config_name : run_.question;
    if (!title.empty()) print_paragraph((is_markdown() ? "# " : "") + title);
    const std::string notice = simulation_notice(run_);
    if (!notice.empty()) print_paragraph(is_markdown() ? "**" + notice + "**" : notice);
  }

  // Markdown joins lines that follow each other; an empty line keeps them apart.
  void print_paragraph(const std::string& text) const {
    out_ << one_line(text, TableStyle::kTerminal) << (is_markdown() ? "\n\n" : "\n");
  }

  void print_constants() const {
    constexpr std::size_t kLineWidth = 100;
    std::string line = "constant:";
    const std::size_t bare = line.size();
    for (const std::string& name : constant_settings(run_)) {
      const std::string value = constant_text(run_, name);
      if (value.empty()) continue;
      const std::string item = fmt::format(" {}={}", name, value);
      if (line.size() > bare && display_width(line) + display_width(item) > kLineWidth) {
        out_ << one_line(line, TableStyle::kTerminal) << '\n';
        line = std::string(bare, ' ');
      }
      line += item;
    }
    if (line.size() > bare) out_ << one_line(line, TableStyle::kTerminal) << '\n';
  }

  void print_rows() const {
    const std::vector<const CellResult*> cells = measured_cells();
    if (cells.empty()) {
      out_ << "No cell was measured.\n";
      return;
    }
    const std::vector<const Column*> metrics = shown_metrics(cells);
    TextTable table = make_columns(metrics);
    for (const CellResult* cell : cells) table.add_row(make_row(*cell, metrics));
    table.print(out_, style_);
  }

  // A cell that went well without yielding a rate stands last; it must not vanish.
  [[nodiscard]] std::vector<const CellResult*> measured_cells() const {
    std::vector<const CellResult*> cells = fastest_first(run_);
    const std::size_t with_rate = cells.size();
    for (const CellResult& cell : run_.cells) {
      const auto end = cells.begin() + static_cast<std::ptrdiff_t>(with_rate);
      const bool is_listed = std::find(cells.begin(), end, &cell) != end;
      if (cell.outcome == Outcome::kOk && !is_listed) cells.push_back(&cell);
    }
    return cells;
  }

  [[nodiscard]] static std::vector<const Column*> shown_metrics(
      const std::vector<const CellResult*>& cells) {
    std::vector<const Column*> shown;
    for (const Column& column : metric_columns()) {
      const std::string tag(column.tag);
      const bool is_known = std::any_of(cells.begin(), cells.end(), [&](const CellResult* cell) {
        const double* const value = find_metric(cell->metrics, tag);
        return value != nullptr && std::isfinite(*value);
      });
      if (column.in_table && is_known) shown.push_back(&column);
    }
    return shown;
  }

  [[nodiscard]] TextTable make_columns(const std::vector<const Column*>& metrics) const {
    TextTable table;
    for (const std::string& name : varying_) table.add_column(name, setting_align(name));
    for (const Column* column : metrics) table.add_column(std::string(column->tag), Align::kRight);
    table.add_column("vs best", Align::kRight);
    return table;
  }

  [[nodiscard]] Align setting_align(const std::string& name) const {
    const bool is_number =
        std::all_of(run_.cells.begin(), run_.cells.end(), [&](const CellResult& cell) {
          const SettingValue* const value = find_setting(cell.settings, name);
          return value != nullptr && (std::holds_alternative<std::int64_t>(*value) ||
                                      std::holds_alternative<double>(*value));
        });
    return is_number ? Align::kRight : Align::kLeft;
  }

  [[nodiscard]] std::vector<std::string> make_row(const CellResult& cell,
                                                  const std::vector<const Column*>& metrics) const {
    std::vector<std::string> row;
    for (const std::string& name : varying_) row.push_back(setting_text(cell, name));
    for (const Column* column : metrics) row.push_back(metric_text(cell, *column));
    row.push_back(against_best(cell));
    return row;
  }

  [[nodiscard]] static std::string metric_text(const CellResult& cell, const Column& column) {
    if (column.unit == Unit::kSamplesPerSecond) return rate_text(cell);
    const double* const value = find_metric(cell.metrics, std::string(column.tag));
    return value == nullptr ? kMissing : format_value(*value, column.unit);
  }

  [[nodiscard]] std::string against_best(const CellResult& cell) const {
    const CellResult* const best = best_cell(run_);
    const double* const rate = find_metric(cell.metrics, "samples_per_second");
    if (best == nullptr || rate == nullptr) return kMissing;
    return fmt::format("{:.2f}", *rate / *find_metric(best->metrics, "samples_per_second"));
  }

  [[nodiscard]] std::vector<std::string> failed() const {
    std::vector<std::string> lines;
    for (const CellResult& cell : run_.cells) {
      if (cell.outcome != Outcome::kFailed) continue;
      lines.push_back(fmt::format("{}: {}", name_cell(cell, varying_), cell.reason));
    }
    return lines;
  }

  [[nodiscard]] std::vector<std::string> skipped() const {
    std::vector<std::pair<std::string, std::size_t>> reasons;
    for (const CellResult& cell : run_.cells) {
      if (cell.outcome != Outcome::kSkipped) continue;
      const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& entry) {
        return entry.first == cell.reason;
      });
      if (known == reasons.end()) {
        reasons.emplace_back(cell.reason, 1);
      } else {
        ++known->second;
      }
    }
    std::vector<std::string> lines;
    for (const auto& [reason, number] : reasons) {
      lines.push_back(fmt::format("{}: {}", cells_are(number), reason));
    }
    return lines;
  }

  void print_not_run() const {
    const std::size_t pending = count(run_, Outcome::kPending);
    if (pending == 0 && !run_.interrupted) return;
    out_ << fmt::format("\n{} not run{}.\n", cells_are(pending),
                        run_.interrupted ? ": the sweep was interrupted" : "");
  }

  void print_list(const std::string& title, const std::vector<std::string>& lines) const {
    if (lines.empty()) return;
    out_ << '\n' << title << (is_markdown() ? "\n\n" : "\n");
    for (const std::string& line : lines) {
      out_ << (is_markdown() ? "- " : "  ") << one_line(line, TableStyle::kTerminal) << '\n';
    }
  }

  std::ostream& out_;
  const RunResult& run_;
  TableStyle style_;
  std::vector<std::string> varying_;
};

}  // namespace

void print_table(std::ostream& out, const RunResult& run, TableStyle style) {
  TablePrinter(out, run, style).print();
}

}  // namespace feedrate
