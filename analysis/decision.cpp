// SPDX-License-Identifier: Apache-2.0
#include "analysis/decision.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/conditions.h"
#include "analysis/dataloader_arguments.h"
#include "analysis/noise.h"
#include "core/comparisons_with_best.h"

namespace feedrate {
namespace {

constexpr double kConfidence = 0.975;  // 0.95, half of its error kept for earlier looks.
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Cells = std::vector<const CellResult*>;

double loss_of(double log_difference) { return -std::expm1(-log_difference); }

std::size_t rounds_of(const CellResult& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.repeats.begin(), cell.repeats.end(), [](const Repeat& start) {
        const double* const rate = find_metric(start.metrics, "samples_per_second");
        return rate != nullptr && *rate > 0.0;
      }));
}

std::vector<TreatmentFit> fit_starts(const Cells& cells) {
  std::vector<BlockValue> values;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t k = 0; k < cells[i]->repeats.size(); ++k) {
      const Repeat& start = cells[i]->repeats[k];
      const double* const rate = find_metric(start.metrics, "samples_per_second");
      if (rate == nullptr || !(*rate > 0.0)) continue;
      // Of a cell without rounds one start is of one, as feedrate measured before it kept them.
      values.push_back({i, start.round.value_or(k), std::log(*rate)});
    }
  }
  return fit_blocks(values, cells.size());
}

// By what files without starts tell, as cells.csv: the interval of each cell, and no rounds.
std::vector<TreatmentFit> fit_intervals(const Cells& cells) {
  std::vector<TreatmentFit> fits;
  for (const CellResult* cell : cells) {
    TreatmentFit fit{std::log(rate_of(*cell)), kInfinity, 0.0, {}};
    if (const std::optional<Uncertain> rate = uncertain_rate(*cell)) {
      constexpr double kMost = 1000.0;  // Whatever a file says.
      const double starts = rate->freedom >= 1.0 && std::isfinite(rate->freedom)
                                ? std::min(rate->freedom + 1.0, kMost)
                                : 1.0;
      fit.deviation = rate->standard_error / rate->value * std::sqrt(starts);
      fit.freedom = rate->freedom;
      for (std::size_t i = 0; i < static_cast<std::size_t>(starts); ++i) fit.blocks.push_back(i);
    }
    fits.push_back(std::move(fit));
  }
  return fits;
}

class Decider {
 public:
  Decider(Cells cells, double tolerance)
      : cells_(std::move(cells)),
        tolerance_(tolerance),
        has_starts_(std::all_of(cells_.begin(), cells_.end(),
                                [](const CellResult* cell) { return rounds_of(*cell) > 0; })),
        fits_(has_starts_ ? fit_starts(cells_) : fit_intervals(cells_)) {}

  Proposal decide() {
    Proposal answer;
    std::vector<std::size_t> order(cells_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return fits_[a].effect > fits_[b].effect;
    });
    answer.rounds = fits_[order.front()].blocks.size();
    rank(answer, order);
    propose(answer);
    if (order.size() > 1) add_resolution(answer, order);
    return answer;
  }

 private:
  void rank(Proposal& answer, const std::vector<std::size_t>& order) const {
    const bool is_enough = answer.rounds >= kLeastRounds || order.size() == 1;
    const auto comparisons = compare_with_best(fits_, kConfidence);
    for (const std::size_t i : order) {
      RankedCell one{cells_[i], std::exp(fits_[i].effect - fits_[order.front()].effect)};
      if (is_enough) {
        one.least_loss = loss_of(comparisons[i].least);
        one.most_loss = loss_of(comparisons[i].most);
      }
      answer.cells.push_back(one);
    }
  }

  void propose(Proposal& answer) const {
    answer.proposed = answer.cells.front().cell;
    for (const RankedCell& one : answer.cells) {
      if (one.most_loss > tolerance_) continue;
      if (!answer.is_shown || is_cheaper(*one.cell, *answer.proposed)) answer.proposed = one.cell;
      answer.is_shown = true;
    }
  }

  // Of the fastest and that rival of those not shown to be slower which is known least.
  void add_resolution(Proposal& answer, const std::vector<std::size_t>& order) const {
    if (answer.rounds < kLeastRounds) return;
    const TreatmentFit& fastest = fits_[order.front()];
    double widest = 0.0, for_5 = 0.0, for_2 = 0.0;
    for (std::size_t place = 1; place < order.size(); ++place) {
      if (place > 1 && answer.cells[place].least_loss > 0.0) continue;
      const TreatmentFit& rival = fits_[order[place]];
      const auto blocks = [&](double loss) {
        return blocks_for(-std::log1p(-loss), fastest, rival, fits_.size(), kConfidence);
      };
      widest = std::max(widest, resolution(fastest, rival, fits_.size(), kConfidence));
      for_5 = std::max(for_5, blocks(0.05));
      for_2 = std::max(for_2, blocks(0.02));
      if (answer.rounds > kLeastRounds && is_out_of_reach(fastest, rival, answer.rounds)) {
        answer.is_out_of_reach = true;
      }
    }
    answer.resolution = loss_of(widest);
    answer.to_tell_5 = more_than(for_5, answer.rounds);
    answer.to_tell_2 = more_than(for_2, answer.rounds);
  }

  // With deviations that are known as well as kMostRounds will make them known.
  [[nodiscard]] bool is_out_of_reach(const TreatmentFit& fastest, const TreatmentFit& rival,
                                     std::size_t rounds) const {
    const auto then = [rounds](TreatmentFit fit) {
      fit.freedom *= static_cast<double>(kMostRounds) / static_cast<double>(rounds);
      return fit;
    };
    const double loss = std::max({0.05, tolerance_, loss_of(fastest.effect - rival.effect)});
    const double wanted =
        blocks_for(-std::log1p(-loss), then(fastest), then(rival), fits_.size(), kConfidence);
    return std::isfinite(wanted) && wanted > static_cast<double>(kMostRounds);
  }

  static std::size_t more_than(double wanted, std::size_t rounds) {
    constexpr double kMost = 1e6;
    if (!(wanted < kMost)) return 0;
    const auto count = static_cast<std::size_t>(wanted);
    return count > rounds ? count - rounds : 0;
  }

  Cells cells_;
  double tolerance_;
  bool has_starts_;
  std::vector<TreatmentFit> fits_;
};

Cells candidates(const RunResult& run) {
  Cells cells;
  for (const CellResult* cell : choosable_cells(run)) {
    const double rate = rate_of(*cell);
    if (cell->outcome == Outcome::kOk && std::isfinite(rate) && rate > 0.0) cells.push_back(cell);
  }
  const auto pastable = [](const CellResult* cell) { return is_pastable(*cell); };
  if (std::any_of(cells.begin(), cells.end(), pastable))
    std::erase_if(cells, std::not_fn(pastable));
  return cells;
}

std::vector<std::string> values_of(const CellResult& cell, const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& name : names) values.push_back(setting_text(cell, name));
  return values;
}

}  // namespace

std::vector<Proposal> decide(const RunResult& run) {
  const Cells cells = candidates(run);
  const std::vector<std::string> conditions = varying_conditions(cells);
  std::map<std::vector<std::string>, Cells> groups;
  for (const CellResult* cell : cells) groups[values_of(*cell, conditions)].push_back(cell);
  std::vector<Proposal> answers;
  for (auto& [values, members] : groups) {
    answers.push_back(decide_among(std::move(members), run.tolerance));
    answers.back().conditions = conditions;
  }
  std::sort(answers.begin(), answers.end(), [](const Proposal& a, const Proposal& b) {
    return a.fastest().index < b.fastest().index;
  });
  return answers;
}

Proposal decide_among(std::vector<const CellResult*> cells, double tolerance) {
  return Decider(std::move(cells), tolerance).decide();
}

std::vector<std::size_t> contenders(const RunResult& run) {
  std::vector<std::size_t> indices;
  for (const Proposal& answer : decide(run)) {
    if (answer.is_shown || answer.is_out_of_reach) continue;
    for (const RankedCell& one : answer.cells) {
      if (one.least_loss <= run.tolerance) indices.push_back(one.cell->index);
    }
  }
  return indices;
}

}  // namespace feedrate
