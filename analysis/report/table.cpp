// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/answer.h"
#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/columns.h"
#include "analysis/dataloader_arguments.h"
#include "analysis/decision.h"
#include "analysis/effects.h"
#include "analysis/foreign_load.h"
#include "analysis/noise.h"
#include "analysis/report/effects_print.h"
#include "analysis/report/ranks.h"
#include "analysis/warnings.h"
#include "analysis/whose_loader.h"
#include "core/format.h"

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

using TableCells = std::vector<const CellResult*>;

constexpr std::ptrdiff_t kMostRows = 40;

constexpr const char* kDisturbed = " !";
constexpr const char* kUnwatched = " ?";

// Dropped first on a narrow terminal.
constexpr std::array<std::string_view, 14> kLeastImportant{
    "first_batch_time", "training_time", "loading_time", "fetch_stall",      "prep_stall",
    "au_verdict",       "slowest_rank",  "straggler",    "all_reduce_time",  "memory",
    "padding_share",    "stall",         "au",           "tokens_per_second"};

class TablePrinter {
 public:
  TablePrinter(std::ostream& out, const RunResult& run, TableStyle style, std::size_t width)
      : out_(out),
        run_(run),
        style_(style),
        width_(width),
        choosable_(choosable_cells(run)),
        answers_(decide(run)),
        proposed_(proposed_cells(run)),
        varying_(varying_settings(choosable_)),
        varying_with_limits_(varying_settings(run)) {}

  void print() const {
    print_heading();
    print_constants();
    out_ << '\n';
    const auto [cells, limits] = measured_cells();
    print_rows(cells, varying_);
    print_marks();
    if (cells.empty()) out_ << "No cell was measured.\n";
    if (!limits.empty()) print_limits(limits);
    print_list("Failed:", failed());
    print_list("Skipped:", skipped());
    print_not_run();
    print_list("Warnings:", largest_first(warnings_of(run_)));
  }

 private:
  [[nodiscard]] bool is_markdown() const { return style_ == TableStyle::kMarkdown; }

  void print_heading() const {
    const std::string& title = run_.question.empty() ? run_.config_name : run_.question;
    if (!title.empty()) print_paragraph((is_markdown() ? "# " : "") + title);
    const std::string whose = whose_sentence(run_);
    if (!whose.empty()) print_paragraph(whose);
    const std::string notice = simulation_notice(run_);
    if (!notice.empty()) print_paragraph(is_markdown() ? "**" + notice + "**" : notice);
  }

  // Markdown joins adjacent lines.
  void print_paragraph(const std::string& text) const {
    out_ << one_line(text, TableStyle::kTerminal) << (is_markdown() ? "\n\n" : "\n");
  }

  void print_constants() const {
    constexpr std::size_t kLineWidth = 100;
    std::string line = "constant:";
    const std::size_t bare = line.size();
    for (const std::string& name : constant_settings(choosable_)) {
      if (!is_set(run_, name)) continue;
      const std::string value = constant_text(choosable_, name);
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

  void print_rows(const TableCells& cells, const std::vector<std::string>& settings) const {
    if (cells.empty()) return;
    const TableCells rows = rows_of(cells);
    TextTable table = make_table(rows, settings, shown_metrics(cells));
    const std::vector<std::string> left_out = table.fit(width_, kLeastImportant);
    table.print(out_, style_);
    if (rows.size() < cells.size()) {
      out_ << fmt::format("{} more rows: table.md and cells.csv have them.\n",
                          cells.size() - rows.size());
    }
    if (left_out.empty()) return;
    out_ << fmt::format("Not shown in {} columns: {}; cells.csv has them.\n", width_,
                        fmt::join(left_out, ", "));
  }

  [[nodiscard]] TableCells rows_of(const TableCells& cells) const {
    if (is_markdown() || std::ssize(cells) <= kMostRows) return cells;
    TableCells rows(cells.begin(), cells.begin() + kMostRows);
    std::copy_if(cells.begin() + kMostRows, cells.end(), std::back_inserter(rows),
                 [this](const CellResult* cell) { return is_proposed(cell); });
    return rows;
  }

  [[nodiscard]] bool is_proposed(const CellResult* cell) const {
    return std::find(proposed_.begin(), proposed_.end(), cell) != proposed_.end();
  }

  [[nodiscard]] TextTable make_table(const TableCells& cells,
                                     const std::vector<std::string>& settings,
                                     const std::vector<const Column*>& metrics) const {
    TextTable table = make_columns(cells, settings, metrics);
    const auto proposed = [this](const CellResult* cell) { return is_proposed(cell); };
    const bool has_proposed = std::any_of(cells.begin(), cells.end(), proposed);
    const auto lacks = [](const CellResult* cell) { return !is_pastable(*cell); };
    const bool are_some_lacking = std::any_of(cells.begin(), cells.end(), lacks) &&
                                  !std::all_of(cells.begin(), cells.end(), lacks);
    const bool has_marks = has_proposed || are_some_lacking;
    if (has_marks) table.add_column("", Align::kLeft);
    for (const CellResult* cell : cells) {
      std::vector<std::string> row = make_row(*cell, settings, metrics);
      if (has_jobs(cells)) row.insert(row.begin(), jobid_of(run_, *cell));
      if (has_marks) {
        row.emplace_back(proposed(cell)                    ? "proposed"
                         : are_some_lacking && lacks(cell) ? "not in PyTorch"
                                                           : "");
      }
      table.add_row(std::move(row));
    }
    return table;
  }

  void print_marks() const {
    const auto any = [this](bool (*is_marked)(const CellResult&)) {
      return std::any_of(run_.cells.begin(), run_.cells.end(), is_marked);
    };
    if (any(is_disturbed)) print_mark("!: disturbed by other programs on CPUs or storage");
    if (any(is_unwatched)) print_mark("?: measured too shortly to see other programs");
  }

  void print_mark(const char* text) const { out_ << (is_markdown() ? "\n" : "") << text << '\n'; }

  void print_limits(const TableCells& limits) const {
    out_ << "\nReference cells, with a mock trainer or a mock loader:\n"
         << (is_markdown() ? "\n" : "");
    print_rows(limits, varying_with_limits_);
  }

  struct Measured {
    TableCells cells;
    TableCells limits;
  };

  [[nodiscard]] Measured measured_cells() const {
    TableCells all = fastest_first(run_);
    std::stable_sort(all.begin(), all.end(), [this](const CellResult* a, const CellResult* b) {
      return rate_within_rounds(*a) > rate_within_rounds(*b);
    });
    sort_rows(run_, all);
    const std::set<const CellResult*> with_rate(all.begin(), all.end());
    for (const CellResult& cell : run_.cells) {
      if (cell.outcome == Outcome::kOk && with_rate.count(&cell) == 0) all.push_back(&cell);
    }
    const auto limits =
        std::stable_partition(all.begin(), all.end(),
                              [this](const CellResult* cell) { return !is_separate_limit(*cell); });
    return {{all.begin(), limits}, {limits, all.end()}};
  }

  [[nodiscard]] bool is_separate_limit(const CellResult& cell) const {
    return is_limit(cell) && choosable_.size() < run_.cells.size();
  }

  [[nodiscard]] std::string name(const CellResult& cell) const {
    return name_cell(cell, is_separate_limit(cell) ? varying_with_limits_ : varying_);
  }

  [[nodiscard]] bool has_jobs(const TableCells& cells) const {
    return std::any_of(cells.begin(), cells.end(),
                       [&](const CellResult* cell) { return !jobid_of(run_, *cell).empty(); });
  }

  [[nodiscard]] std::vector<const Column*> shown_metrics(const TableCells& cells) const {
    std::vector<const Column*> shown;
    for (const Column& column : metric_columns()) {
      const std::string tag(column.tag);
      const bool is_known = std::any_of(cells.begin(), cells.end(), [&](const CellResult* cell) {
        const double* const value = find_metric(cell->metrics, tag);
        return value != nullptr && std::isfinite(*value);
      });
      const bool is_wanted = column.in_table || column.tag == run_.sort ||
                             (column.tag == "job_time" && has_jobs(cells));
      if (is_wanted && is_known) shown.push_back(&column);
    }
    return shown;
  }

  [[nodiscard]] TextTable make_columns(const TableCells& cells,
                                       const std::vector<std::string>& settings,
                                       const std::vector<const Column*>& metrics) const {
    TextTable table;
    if (has_jobs(cells)) table.add_column("jobid", Align::kLeft);
    for (const std::string& name : settings) table.add_column(name, setting_align(cells, name));
    for (const Column* column : metrics) table.add_column(std::string(column->tag), Align::kRight);
    table.add_column("vs best", Align::kRight);
    return table;
  }

  [[nodiscard]] static Align setting_align(const TableCells& cells, const std::string& name) {
    const bool is_number = std::all_of(cells.begin(), cells.end(), [&](const CellResult* cell) {
      const SettingValue* const value = find_setting(cell->settings, name);
      return value != nullptr && (std::holds_alternative<std::int64_t>(*value) ||
                                  std::holds_alternative<double>(*value));
    });
    return is_number ? Align::kRight : Align::kLeft;
  }

  [[nodiscard]] std::vector<std::string> make_row(const CellResult& cell,
                                                  const std::vector<std::string>& settings,
                                                  const std::vector<const Column*>& metrics) const {
    std::vector<std::string> row;
    for (const std::string& name : settings) row.push_back(setting_text(cell, name));
    for (const Column* column : metrics) row.push_back(metric_text(cell, *column));
    row.push_back(against_best(cell));
    return row;
  }

  [[nodiscard]] static std::string metric_text(const CellResult& cell, const Column& column) {
    if (column.unit == Unit::kSamplesPerSecond) {
      return rate_text(cell) + (is_disturbed(cell)   ? kDisturbed
                                : is_unwatched(cell) ? kUnwatched
                                                     : "");
    }
    const double* const value = find_metric(cell.metrics, std::string(column.tag));
    return value == nullptr ? kMissing : format_value(*value, column.unit);
  }

  [[nodiscard]] std::string against_best(const CellResult& cell) const {
    const Rank rank = rank_of(cell);
    if (rank.answer == nullptr) return kMissing;
    const double ratio = rank.ranked != nullptr
                             ? rank.ranked->against_fastest / rank.answer->most_against_fastest()
                             : rate_of(cell) / rate_of(rank.answer->fastest());
    return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : kMissing;
  }

  struct Rank {
    const Proposal* answer = nullptr;
    const RankedCell* ranked = nullptr;
  };

  [[nodiscard]] Rank rank_of(const CellResult& cell) const {
    for (const Proposal& answer : answers_) {
      for (const std::vector<RankedCell>* ranked : {&answer.cells, &answer.others}) {
        for (const RankedCell& one : *ranked) {
          if (one.cell == &cell) return {&answer, &one};
        }
      }
    }
    return {answers_.empty() ? nullptr : &answers_.front(), nullptr};
  }

  [[nodiscard]] double rate_within_rounds(const CellResult& cell) const {
    const Rank rank = rank_of(cell);
    if (rank.ranked == nullptr) return rate_of(cell);
    return rate_of(rank.answer->fastest()) * rank.ranked->against_fastest;
  }

  [[nodiscard]] std::vector<std::string> failed() const {
    std::vector<std::string> lines;
    for (const CellResult& cell : run_.cells) {
      if (cell.outcome != Outcome::kFailed) continue;
      lines.push_back(fmt::format("{}: {}", name(cell), cell.reason));
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
  std::size_t width_;
  TableCells choosable_;
  std::vector<Proposal> answers_;
  TableCells proposed_;
  std::vector<std::string> varying_;
  std::vector<std::string> varying_with_limits_;
};

}  // namespace

void print_table(std::ostream& out, const RunResult& run, TableStyle style, std::size_t width) {
  TablePrinter(out, run, style, width).print();
}

void print_results(std::ostream& out, const RunResult& run, TableStyle style, std::size_t width) {
  print_table(out, run, style, width);
  // A tune or a training has no plan of pairs.
  if (!run.recommended && !run.history) print_effects(out, effects_of(run), style, width);
  print_answer(out, run, style);
  print_ranks(out, run, style);
}

}  // namespace feedrate
