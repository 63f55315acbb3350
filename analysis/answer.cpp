// SPDX-License-Identifier: Apache-2.0
#include "analysis/answer.h"

#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/dataloader_arguments.h"
#include "analysis/foreign_load.h"
#include "analysis/limits.h"
#include "analysis/paste_lines.h"
#include "analysis/resource_advice.h"
#include "analysis/staging.h"
#include "analysis/watched_cells.h"
#include "analysis/whose_loader.h"
#include "core/format.h"

namespace feedrate {
namespace {

constexpr std::size_t kTiesShown = 10;

std::string percent(double share) {
  return share < 0.0995 ? fmt::format("{:.2g} %", 100.0 * share)
                        : fmt::format("{:.0f} %", 100.0 * share);
}

std::string limits_of_evidence(const Proposal& answer) {
  if (answer.rounds < kLeastRounds) {
    return fmt::format(
        "Fewer than {} rounds cannot show that cells are equivalent: feedrate sweep --resume "
        "RESULTS --repeats +{}",
        kLeastRounds, kLeastRounds - answer.rounds);
  }
  const std::string now = fmt::format("Differences below {} are not distinguishable with {}",
                                      percent(answer.resolution), plural(answer.rounds, "round"));
  if (answer.is_out_of_reach || answer.more_rounds == 0) {
    return now + ", and this machine is too noisy for more rounds to tell much more.";
  }
  return fmt::format("{}; {} more resolve {}: feedrate sweep --resume RESULTS --repeats +{}", now,
                     answer.more_rounds, percent(answer.resolution_then), answer.more_rounds);
}

class AnswerPrinter {
 public:
  AnswerPrinter(std::ostream& out, const RunResult& run, TableStyle style)
      : out_(out), run_(run), style_(style), varying_(varying_settings(choosable_cells(run))) {}

  void print() const {
    const std::vector<Proposal> answers = decide(run_);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      print(answers[i]);
      // Answers with the same lines print them once, after the last.
      const std::string lines = lines_of(answers[i]);
      if (i + 1 == answers.size() || lines_of(answers[i + 1]) != lines) out_ << lines;
    }
    if (answers.empty()) return;
    const std::string counts = bottleneck_counts(run_);
    if (!counts.empty()) out_ << fmt::format("\nBottlenecks of all cells: {}.\n", counts);
    const std::string notice = simulation_notice(run_);
    if (!notice.empty()) out_ << fmt::format("\n{}; verify on a real device.\n", notice);
  }

 private:
  [[nodiscard]] bool is_markdown() const { return style_ == TableStyle::kMarkdown; }

  [[nodiscard]] std::string name(const CellResult& cell) const {
    return one_line(name_cell(cell, varying_), TableStyle::kTerminal);
  }

  [[nodiscard]] std::string rate(const CellResult& cell) const {
    return fmt::format("{}: {} samples/s", name(cell), rate_text(cell));
  }

  void print(const Proposal& answer) const {
    const CellResult& proposed = *answer.proposed;
    if (!answer.conditions.empty()) {
      out_ << fmt::format("\nWith {}:", describe(proposed, answer.conditions));
    }
    out_ << fmt::format("\nProposed: {}{}\n", rate(proposed), caveat(proposed));
    if (&proposed != &answer.fastest()) {
      out_ << fmt::format("The fastest is {}.\n", rate(answer.fastest()));
    }
    out_ << certainty_text(run_, answer) << '\n';
    const std::string caution = foreign_load_caution(proposed);
    if (!caution.empty()) out_ << caution << '\n';
    print_ties(answer);
    print_other_form(answer);
    print_other_trainings(answer);
    const std::string verdict = verdict_text(proposed);
    if (!verdict.empty()) out_ << fmt::format("\nBottleneck: {}.\n", verdict);
    print_list(resource_advice(proposed));
    for (const StagingGain& gain : staging_gains(run_, proposed)) {
      out_ << fmt::format("\n{}.\n", staging_sentence(gain));
    }
  }

  [[nodiscard]] std::string caveat(const CellResult& cell) const {
    if (is_limit(cell)) return ". This is a reference cell: its trainer or its loader is a mock.";
    const std::string whose = whose_loader(run_, cell);
    return whose.empty() ? "." : fmt::format(" ({}).", whose);
  }

  void print_ties(const Proposal& answer) const {
    if (!answer.is_shown()) return;
    std::vector<std::string> ties;
    std::size_t others = 0;
    for (const RankedCell& one : answer.cells) {
      const bool is_tie = one.most_loss <= run_.tolerance && one.cell != answer.proposed;
      if (is_tie && ++others <= kTiesShown) ties.push_back(rate(*one.cell));
    }
    if (others > kTiesShown) ties.push_back(fmt::format("and {} more", others - kTiesShown));
    if (!ties.empty()) out_ << "Also shown to be within it, but more expensive:\n";
    if (!ties.empty() && is_markdown()) out_ << '\n';
    for (const std::string& tie : ties) out_ << (is_markdown() ? "- " : "  ") << tie << '\n';
  }

  void print_other_form(const Proposal& answer) const {
    if (!answer.other_form) return;
    const auto& [cell, ratio] = *answer.other_form;
    if (!answer.needs_conversion) {
      out_ << fmt::format(
          "\n{} measured {}; a conversion of the dataset is not recommended, since more than {} is "
          "not shown.\n",
          name(*cell), gain_text(ratio), percent(run_.tolerance));
      return;
    }
    const RateRatio gain{1.0 / ratio.ratio, 1.0 / ratio.high, 1.0 / ratio.low};
    out_ << fmt::format(
        "\nIt needs a conversion of the dataset (feedrate data convert) and is {} against the best "
        "cell without one, {}.{}\n",
        gain_text(gain), name(*cell), break_even_text(gain.ratio));
  }

  static std::string break_even_text(double gain) {
    if (!(gain > 1.0)) return "";
    return fmt::format(
        " A conversion that takes as long as one epoch without it pays off after {:.1f} epochs.",
        gain / (gain - 1.0));
  }

  void print_other_trainings(const Proposal& answer) const {
    if (answer.other_trainings.empty()) return;
    out_ << "\nOther samples or batches, which change what is trained, against the proposed:\n"
         << (is_markdown() ? "\n" : "");
    for (const auto& [cell, ratio] : answer.other_trainings) {
      out_ << fmt::format("{}{}: {}\n", is_markdown() ? "- " : "  ", name(*cell), gain_text(ratio));
    }
  }

  void print_list(const std::vector<std::string>& lines) const {
    if (!lines.empty()) out_ << '\n';
    for (const std::string& line : lines) out_ << (is_markdown() ? "- " : "") << line << '\n';
  }

  [[nodiscard]] std::string lines_of(const Proposal& answer) const {
    return fmt::format("\n{}\n{}{}{}", lines_heading(run_, *answer.proposed),
                       is_markdown() ? "\n```python\n" : "", paste_ready(run_, *answer.proposed),
                       is_markdown() ? "```\n" : "");
  }

  std::ostream& out_;
  const RunResult& run_;
  TableStyle style_;
  std::vector<std::string> varying_;
};

std::string recorded_text(const RunResult& run) {
  if (run.recommended) return run.recommended->text;
  return fmt::format("{}\n", fmt::join(run.history->verdict, "\n"));
}

}  // namespace

std::vector<const CellResult*> proposed_cells(const RunResult& run) {
  if (const CellResult* const recommended = recommended_cell(run)) return {recommended};
  if (run.history) return kept_cells(run);
  std::vector<const CellResult*> cells;
  for (const Proposal& answer : decide(run)) cells.push_back(answer.proposed);
  return cells;
}

std::string certainty_text(const RunResult& run, const Proposal& answer) {
  const bool lacks_some =
      std::any_of(answer.others.begin(), answer.others.end(),
                  [](const RankedCell& one) { return !is_pastable(*one.cell); });
  const std::string whose = lacks_some ? " that PyTorch has settings for" : "";
  if (answer.cells.size() == 1) {
    return lacks_some ? "It is the only cell that PyTorch has settings for."
                      : "No other cell was measured under these conditions.";
  }
  const std::string of = fmt::format("the best of {} cells{}", answer.cells.size(), whose);
  const bool is_fastest = answer.proposed == &answer.fastest();
  if (answer.is_shown()) {
    return fmt::format("It is the {} cell, shown to be within {} of {} (95 %, {}).",
                       is_fastest ? "fastest" : "cheapest", percent(run.tolerance), of,
                       plural(answer.rounds, "round"));
  }
  const std::string unknown = limits_of_evidence(answer);
  if (answer.grounds == Grounds::kInUse) {
    return fmt::format(
        "It has PyTorch's defaults, else the first values of the file; no cell is shown to be "
        "faster. {}",
        unknown);
  }
  return fmt::format("It measured fastest{}, but is not shown to be within {} of {}. {}",
                     is_fastest ? "" : " with the dataset as it is", percent(run.tolerance), of,
                     unknown);
}

std::string lines_heading(const RunResult& run, const CellResult& proposed) {
  const bool is_native = !whose_loader(run, proposed).empty() && !is_pytorch(proposed);
  return is_native ? "In PyTorch, which may need more workers (not measured; a sweep or "
                     "`feedrate tune` with torch measures them):"
                   : "To use it:";
}

void print_answer(std::ostream& out, const RunResult& run, TableStyle style) {
  if (!run.recommended && !run.history) return AnswerPrinter(out, run, style).print();
  const bool is_markdown = style == TableStyle::kMarkdown;
  out << (is_markdown ? "\n```\n" : "\n") << recorded_text(run) << (is_markdown ? "```\n" : "");
}

}  // namespace feedrate
