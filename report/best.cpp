#include "report/best.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/format.h"
#include "report/limits.h"
#include "report/noise.h"
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

std::int64_t workers_of(const CellResult& cell) { return count_of(cell.settings, "num_workers"); }
std::int64_t prefetched_of(const CellResult& cell) {
  return count_of(cell.settings, "device_prefetch");
}
bool has_side_stream(const CellResult& cell) { return setting_text(cell, "copy_stream") == "side"; }
bool is_grouped(const CellResult& cell) { return setting_text(cell, "group_by_length") == "true"; }

std::string python(const SettingValue& value) {
  if (const bool* const flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (std::holds_alternative<std::string>(value)) return "\"" + to_string(value) + "\"";
  return to_string(value);
}

struct Knob {
  const char* name;
  bool needs_workers;
};

// PyTorch refuses the two that need workers when there are none.
constexpr std::array<Knob, 7> kLoaderKnobs{{{"batch_size", false},
                                            {"shuffle", false},
                                            {"num_workers", false},
                                            {"prefetch_factor", true},
                                            {"pin_memory", false},
                                            {"persistent_workers", true},
                                            {"drop_last", false}}};

bool has_ranks(const CellResult& cell) { return count_of(cell.settings, "ranks") > 1; }

// By the names of Hugging Face's transformers, whose sampler shuffles by itself.
std::string sequence_arguments(const CellResult& cell) {
  const std::string padding = setting_text(cell, "padding");
  std::string text;
  if (is_grouped(cell)) {
    text +=
        fmt::format(", sampler={}LengthGroupedSampler({}, dataset)",
                    has_ranks(cell) ? "Distributed" : "", count_of(cell.settings, "batch_size"));
  }
  if (!padding.empty()) {
    text += fmt::format(", collate_fn=DataCollatorWithPadding(tokenizer, padding=\"{}\"{})",
                        padding, padding == "max_length" ? ", max_length=N" : "");
  }
  return text;
}

// What the line cannot say.
std::string sequence_notes(const CellResult& cell) {
  std::string notes;
  if (setting_text(cell, "padding") == "max_length") {
    notes += "# N is that of transforms: [tokens: N].\n";
  }
  if (is_grouped(cell) && setting_text(cell, "shuffle") == "false") {
    notes += "# LengthGroupedSampler shuffles, which this cell did not: its order is another.\n";
  }
  return notes;
}

// Of several ranks, each of which calls sampler.set_epoch() before an epoch.
std::string sampler_line(const CellResult& cell) {
  if (!has_ranks(cell) || is_grouped(cell)) return {};
  const auto flag = [&](const char* name) {
    return setting_text(cell, name) == "true" ? "True" : "False";
  };
  return fmt::format("sampler = DistributedSampler(dataset, shuffle={}, drop_last={})\n",
                     flag("shuffle"), flag("drop_last"));
}

std::string loader_line(const CellResult& cell) {
  if (setting_text(cell, "loader") == "cached") return {};
  std::string line = sampler_line(cell) + "loader = DataLoader(dataset";
  for (const Knob& knob : kLoaderKnobs) {
    const SettingValue* const value = find_setting(cell.settings, knob.name);
    if (value == nullptr || (knob.needs_workers && workers_of(cell) == 0)) continue;
    if (to_string(*value).empty()) continue;
    const bool has_sampler = is_grouped(cell) || has_ranks(cell);
    if (has_sampler && std::string_view(knob.name) == "shuffle") continue;
    line += fmt::format(", {}={}", knob.name, python(*value));
  }
  line += sequence_arguments(cell);
  if (has_ranks(cell) && !is_grouped(cell)) line += ", sampler=sampler";
  // New in PyTorch 2.6, so it is named only where it matters.
  if (setting_text(cell, "in_order") == "false") line += ", in_order=False";
  return line + ")\n" + sequence_notes(cell);
}

std::string staging_note(const CellResult& cell) {
  const std::string staging = setting_text(cell, "staging");
  if (staging == "copy") return "# Copy the dataset to storage of the node ($TMPDIR) first.\n";
  return staging == "ram" ? "# Copy the dataset to /dev/shm first.\n" : "";
}

std::string copy_lines(const CellResult& cell) {
  if (setting_text(cell, "trainer") == "discard") return {};
  std::string lines;
  if (prefetched_of(cell) > 0) {
    lines = fmt::format(
        "# Issue the copy on a side stream, torch.cuda.Stream(), {} before the step that needs "
        "it.\n",
        prefetched_of(cell) == 1 ? "one batch" : fmt::format("{} batches", prefetched_of(cell)));
  } else if (has_side_stream(cell)) {
    lines =
        "# Issue the copy on a side stream, torch.cuda.Stream(), and let the step wait for it.\n";
  }
  const SettingValue* const non_blocking = find_setting(cell.settings, "non_blocking");
  lines += non_blocking == nullptr
               ? "x = x.to(device)\n"
               : fmt::format("x = x.to(device, non_blocking={})\n", python(*non_blocking));
  return lines;
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
         << (is_markdown ? "\n```python\n" : "") << paste_ready(cheapest)
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

std::string paste_ready(const CellResult& cell) {
  return staging_note(cell) + loader_line(cell) + copy_lines(cell);
}

void print_best(std::ostream& out, const RunResult& run, TableStyle style) {
  BestPrinter(out, run, style).print();
}

}  // namespace feedrate
