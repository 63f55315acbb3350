#include "report/best.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/format.h"
#include "report/limits.h"
#include "report/noise.h"
#include "report/paste_lines.h"
#include "report/resource_advice.h"
#include "report/staging.h"

namespace feedrate {
namespace {

std::vector<const CellResult*> candidates(const RunResult& run) {
  const std::vector<const CellResult*> cells = fastest_first(run);
  std::vector<const CellResult*> choosable;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(choosable),
               [](const CellResult* cell) { return !is_limit(*cell); });
  return choosable.empty() ? cells : choosable;
}

bool is_tied(const CellResult& cell, const CellResult& best, const Noise& noise) {
  const double loss = 1.0 - rate_of(cell) / rate_of(best);
  return loss <= least_significant_loss(noise, starts_of(cell), starts_of(best));
}

class BestPrinter {
 public:
  BestPrinter(std::ostream& out, const RunResult& run, TableStyle style)
      : out_(out), run_(run), style_(style), varying_(varying_settings(choosable_cells(run))) {}

  void print() const {
    const CellResult* const best = best_cell(run_);
    if (best == nullptr) return;
    const std::vector<const CellResult*> tied = tied_with_best(run_);
    out_ << fmt::format("\nBest: {}: {} samples/s.{}\n", name(*best), rate_text(*best),
                        caveat(*best));
    print_ties(*best, tied);
    print_verdict(*best);
    print_advice(*best);
    print_staging(*best);
    print_lines(*tied.front(), tied.size() > 1);
    const std::string notice = simulation_notice(run_);
    if (!notice.empty()) out_ << fmt::format("\n{}; check it on a real one.\n", notice);
  }

 private:
  [[nodiscard]] std::string name(const CellResult& cell) const {
    return one_line(name_cell(cell, varying_), TableStyle::kTerminal);
  }

  [[nodiscard]] static std::string caveat(const CellResult& best) {
    return is_limit(best) ? " This is a limit: its trainer or its loader was a mock." : "";
  }

  void print_ties(const CellResult& best, const std::vector<const CellResult*>& tied) const {
    if (tied.size() == 1) {
      out_ << "No other cell is within the noise of it.\n";
      return;
    }
    constexpr std::size_t kShown = 10;
    out_ << "Tied with it within the noise, cheapest first:\n";
    if (style_ == TableStyle::kMarkdown) out_ << '\n';
    std::size_t shown = 0;
    for (const CellResult* cell : tied) {
      if (cell == &best) continue;
      if (shown++ == kShown) break;
      out_ << fmt::format("{}{}: {} samples/s\n", style_ == TableStyle::kMarkdown ? "- " : "  ",
                          name(*cell), rate_text(*cell));
    }
    const std::size_t others = tied.size() - 1;
    if (others > kShown) out_ << fmt::format("  and {} more\n", others - kShown);
  }

  void print_verdict(const CellResult& best) const {
    const std::string verdict = verdict_text(best);
    if (verdict.empty()) return;
    out_ << fmt::format("\nBottleneck of the best: {}.\nBottlenecks of all cells: {}.\n", verdict,
                        bottleneck_counts(run_));
  }

  void print_advice(const CellResult& best) const {
    const std::vector<std::string> lines = resource_advice(best);
    if (!lines.empty()) out_ << '\n';
    for (const std::string& line : lines) {
      out_ << (style_ == TableStyle::kMarkdown ? "- " : "") << line << '\n';
    }
  }

  void print_staging(const CellResult& best) const {
    for (const StagingGain& gain : staging_gains(run_, best)) {
      out_ << fmt::format("\n{}.\n", staging_sentence(gain));
    }
  }

  void print_lines(const CellResult& cheapest, bool has_ties) const {
    const bool is_markdown = style_ == TableStyle::kMarkdown;
    out_ << (has_ties ? fmt::format("\nTo use the cheapest of them ({}):\n", name(cheapest))
                      : std::string("\nTo use it:\n"))
         << (is_markdown ? "\n```python\n" : "") << paste_ready(run_, cheapest)
         << (is_markdown ? "```\n" : "");
  }

  std::ostream& out_;
  const RunResult& run_;
  TableStyle style_;
  std::vector<std::string> varying_;
};

}  // namespace

bool is_limit(const CellResult& cell) {
  return setting_text(cell, "trainer") == "discard" || setting_text(cell, "loader") == "cached";
}

bool has_only_limits(const RunResult& run) {
  return std::all_of(run.cells.begin(), run.cells.end(), is_limit);
}

std::vector<const CellResult*> choosable_cells(const RunResult& run) {
  const bool are_limits_too = has_only_limits(run);
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : run.cells) {
    if (are_limits_too || !is_limit(cell)) cells.push_back(&cell);
  }
  return cells;
}

SettingsCost cost_of(const Settings& settings, double memory) {
  return {count_of(settings, "num_workers"), count_of(settings, "device_prefetch"),
          text_of(settings, "copy_stream") == "side", memory,
          text_of(settings, "persistent_workers") != "true"};
}

bool is_cheaper(const CellResult& a, const CellResult& b) {
  const auto cost = [](const CellResult& cell) {
    const double* const memory = find_metric(cell.metrics, "memory");
    const bool is_known = memory != nullptr && std::isfinite(*memory);
    return std::pair(
        cost_of(cell.settings, is_known ? *memory : std::numeric_limits<double>::infinity()),
        cell.index);
  };
  return cost(a) < cost(b);
}

std::vector<const CellResult*> fastest_first(const RunResult& run) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : run.cells) {
    const double rate = rate_of(cell);
    if (cell.outcome == Outcome::kOk && std::isfinite(rate) && rate > 0.0) cells.push_back(&cell);
  }
  std::stable_sort(cells.begin(), cells.end(), [](const CellResult* a, const CellResult* b) {
    return rate_of(*a) > rate_of(*b);
  });
  return cells;
}

const CellResult* best_cell(const RunResult& run) {
  const std::vector<const CellResult*> cells = candidates(run);
  return cells.empty() ? nullptr : cells.front();
}

std::vector<const CellResult*> tied_with_best(const RunResult& run) {
  std::vector<const CellResult*> cells = candidates(run);
  if (cells.empty()) return cells;
  const CellResult& best = *cells.front();
  const Noise noise = pooled_noise(cells);
  // The best is, whatever its figures are.
  std::erase_if(
      cells, [&](const CellResult* cell) { return cell != &best && !is_tied(*cell, best, noise); });
  std::sort(cells.begin(), cells.end(),
            [](const CellResult* a, const CellResult* b) { return is_cheaper(*a, *b); });
  return cells;
}

std::string rate_text(const CellResult& cell) {
  const double rate = rate_of(cell);
  const std::string text = format_number(rate);
  const std::optional<Interval> interval = rate_interval(cell);
  if (!interval || !(rate > 0.0)) return text;
  const double percent = 100.0 * (interval->high - interval->low) / 2.0 / rate;
  return percent >= 0.95 ? fmt::format("{} ± {:.0f} %", text, percent)
                         : fmt::format("{} ± {:.1f} %", text, percent);
}

void print_best(std::ostream& out, const RunResult& run, TableStyle style) {
  BestPrinter(out, run, style).print();
}

}  // namespace feedrate
