// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "analysis/aggregate.h"
#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/columns.h"
#include "analysis/rank_rules.h"
#include "analysis/report/csv_text.h"
#include "core/format.h"

namespace feedrate {
namespace {

// Rows on a terminal.
constexpr std::size_t kMostRows = 64;

bool has_several(const CellResult& cell) {
  const SettingValue* const ranks = find_setting(cell.settings, "ranks");
  const auto* const count = ranks ? std::get_if<std::int64_t>(ranks) : nullptr;
  return count && *count > 1;
}

bool is_of_a_rank(const Column& column) { return across_ranks(column.tag) != AcrossRanks::kOnce; }

double metric(const RankFigures& rank, const char* tag) {
  const double* const value = find_metric(rank.metrics, tag);
  return value == nullptr ? 0.0 : *value;
}

double longest_step(const std::vector<RankFigures>& ranks) {
  double longest = 0.0;
  for (const RankFigures& rank : ranks) longest = std::max(longest, metric(rank, "step_time"));
  return longest;
}

std::string share(double part, double whole) {
  return whole > 0.0 ? format_value(part / whole, Unit::kRatio) : kMissing;
}

class RankTable {
 public:
  explicit RankTable(const RunResult& run) : varying_(varying_settings(run)) {
    table_.add_column("cell", Align::kLeft);
    table_.add_column("rank", Align::kRight);
    for (const char* title : {"node", "cores", "device"}) table_.add_column(title, Align::kLeft);
    for (const char* title : {"samples_per_second", "loading", "training", "waiting"}) {
      table_.add_column(title, Align::kRight);
    }
  }

  void add(const CellResult& cell) {
    const std::vector<RankFigures> ranks = ranks_of(cell);
    const double whole = longest_step(ranks);
    for (const RankFigures& rank : ranks) {
      if (++rows_ > kMostRows) continue;
      table_.add_row(row(name_cell(cell, varying_), rank, whole));
    }
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }

  void print(std::ostream& out, TableStyle style) const {
    table_.print(out, style);
    if (rows_ <= kMostRows) return;
    out << fmt::format("{}The other {} rows are in ranks.csv.\n",
                       style == TableStyle::kMarkdown ? "\n" : "", rows_ - kMostRows);
  }

 private:
  static std::vector<std::string> row(const std::string& cell, const RankFigures& rank,
                                      double whole) {
    const double reduce = metric(rank, "all_reduce_time");
    return {cell,
            fmt::format("{}", rank.rank),
            rank.node,
            rank.cores,
            rank.device,
            format_value(metric(rank, "samples_per_second"), Unit::kSamplesPerSecond),
            share(metric(rank, "loading_time"), whole),
            share(metric(rank, "training_time") - reduce, whole),
            share(whole - metric(rank, "step_time") + reduce, whole)};
  }

  const std::vector<std::string> varying_;
  TextTable table_;
  std::size_t rows_ = 0;
};

}  // namespace

bool has_ranks(const RunResult& run) {
  return std::any_of(run.cells.begin(), run.cells.end(), [](const CellResult& cell) {
    return cell.outcome != Outcome::kSkipped && has_several(cell);
  });
}

std::vector<RankFigures> ranks_of(const CellResult& cell) {
  std::vector<RankFigures> ranks;
  std::vector<std::map<std::string, std::vector<double>>> values;
  for (const Repeat& repeat : cell.repeats) {
    ranks.resize(std::max(ranks.size(), repeat.ranks.size()));
    values.resize(ranks.size());
    for (std::size_t i = 0; i < repeat.ranks.size(); ++i) {
      ranks[i] = repeat.ranks[i];
      for (const Metric& one : repeat.ranks[i].metrics) values[i][one.tag].push_back(one.value);
    }
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].metrics.clear();
    for (const auto& [tag, of_starts] : values[i]) {
      ranks[i].metrics.push_back({tag, across_starts(tag, of_starts)});
    }
  }
  return ranks;
}

void write_ranks_csv(std::ostream& out, const RunResult& run) {
  std::vector<std::string> names{"jobid", "cell",       "rank",   "node",          "local_rank",
                                 "cores", "numa_nodes", "device", "gpu_numa_node", "all_reduce"};
  for (const Column& column : metric_columns()) {
    if (is_of_a_rank(column)) names.emplace_back(column.tag);
  }
  out << csv_line(names);
  for (const CellResult& cell : run.cells) {
    for (const RankFigures& rank : ranks_of(cell)) {
      std::vector<std::string> row{jobid_of(run, cell),
                                   fmt::format("{}", cell.index),
                                   fmt::format("{}", rank.rank),
                                   rank.node,
                                   fmt::format("{}", rank.local_rank),
                                   rank.cores,
                                   rank.numa_nodes,
                                   rank.device,
                                   rank.gpu_numa_node,
                                   rank.all_reduce};
      for (const Column& column : metric_columns()) {
        if (!is_of_a_rank(column)) continue;
        const double* const value = find_metric(rank.metrics, std::string(column.tag));
        row.push_back(value == nullptr ? "" : csv_number(*value, column.unit));
      }
      out << csv_line(row);
    }
  }
}

void print_ranks(std::ostream& out, const RunResult& run, TableStyle style) {
  RankTable table(run);
  for (const CellResult* cell : fastest_first(run)) table.add(*cell);
  if (table.rows() == 0) return;
  out << "\n"
         "Ranks, relative to the step of the slowest rank; waiting: for other ranks in the "
         "all-reduce or, without\n"
         "one, because the step is shorter:\n"
      << (style == TableStyle::kMarkdown ? "\n" : "");
  table.print(out, style);
}

}  // namespace feedrate
