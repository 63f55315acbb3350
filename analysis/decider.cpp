// SPDX-License-Identifier: Apache-2.0
#include "analysis/decider.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "analysis/best.h"
#include "analysis/cell_fits.h"
#include "analysis/cell_text.h"
#include "analysis/conditions.h"
#include "analysis/reference.h"
#include "core/block_contrast.h"
#include "core/comparisons_with_best.h"

namespace feedrate {
namespace {

// 0.95 with half of the error; the other half is for decisions before the last round.
constexpr double kConfidence = 0.975;

using Cells = std::vector<const CellResult*>;

double loss_of(double log_difference) { return -std::expm1(-log_difference); }

class Decider {
 public:
  Decider(MeasuredCells measured, double tolerance)
      : measured_(std::move(measured)),
        tolerance_(tolerance),
        cells_(all_of(measured_)),
        fits_(fit_cells(cells_)),
        choices_(measured_.candidates.size()),
        order_(choices_) {
    for (std::size_t i = 0; i < choices_; ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
      return fits_[a].effect > fits_[b].effect;
    });
  }

  Proposal decide() {
    Proposal answer;
    answer.rounds = fits_[order_.front()].blocks.size();
    rank(answer);
    propose(answer);
    add_other_form(answer);
    add_other_trainings(answer);
    if (choices_ > 1) add_resolution(answer);
    return answer;
  }

 private:
  static Cells all_of(const MeasuredCells& measured) {
    Cells cells = measured.candidates;
    for (const Cells& other : measured.other_trainings) {
      cells.insert(cells.end(), other.begin(), other.end());
    }
    cells.insert(cells.end(), measured.lacking.begin(), measured.lacking.end());
    return cells;
  }

  [[nodiscard]] bool has_rounds(const Proposal& answer) const {
    return answer.rounds >= kLeastRounds || choices_ == 1;
  }

  [[nodiscard]] double against_fastest(std::size_t i) const {
    return std::exp(fits_[i].effect - fits_[order_.front()].effect);
  }

  void rank(Proposal& answer) const {
    const auto comparisons = compare_with_best(std::span(fits_).first(choices_), kConfidence);
    for (const std::size_t i : order_) {
      RankedCell one{cells_[i], against_fastest(i)};
      if (has_rounds(answer)) {
        one.least_loss = loss_of(comparisons[i].least);
        one.most_loss = loss_of(comparisons[i].most);
      }
      answer.cells.push_back(one);
    }
    for (std::size_t i = choices_; i < cells_.size(); ++i) {
      answer.others.push_back({cells_[i], against_fastest(i)});
    }
  }

  template <typename Predicate>
  [[nodiscard]] std::vector<std::string> varying(const Predicate& predicate) const {
    std::vector<std::string> names = varying_settings(measured_.candidates);
    std::erase_if(names, [&](const std::string& name) { return !predicate(name); });
    return names;
  }

  // Cells with the unconverted dataset, unless all of them are shown to be slower.
  [[nodiscard]] std::vector<const RankedCell*> proposable(const Proposal& answer) const {
    const std::vector<std::string> forms = varying(needs_conversion);
    std::vector<const RankedCell*> all, as_it_is;
    for (const RankedCell& one : answer.cells) {
      all.push_back(&one);
      if (is_at_reference(*one.cell, measured_.candidates, forms)) as_it_is.push_back(&one);
    }
    const bool is_slower =
        std::all_of(as_it_is.begin(), as_it_is.end(), [this](const RankedCell* one) {
          return one->least_loss > 0.0 && one->most_loss > tolerance_;
        });
    return is_slower ? all : as_it_is;
  }

  void propose(Proposal& answer) const {
    const std::vector<const RankedCell*> all = proposable(answer);
    answer.proposed = all.front()->cell;
    for (const RankedCell* one : all) {
      if (one->most_loss > tolerance_) continue;
      if (!answer.is_shown() || is_cheaper(*one->cell, *answer.proposed)) {
        answer.proposed = one->cell;
      }
      answer.grounds = Grounds::kShown;
    }
    if (answer.is_shown() || !has_rounds(answer)) return;
    const std::vector<std::string> names = varying([](const std::string&) { return true; });
    for (const RankedCell* one : all) {
      if (one->least_loss > 0.0 || !is_at_reference(*one->cell, measured_.candidates, names)) {
        continue;
      }
      if (one->against_fastest < (1.0 - tolerance_) * all.front()->against_fastest) continue;
      answer.proposed = one->cell;
      answer.grounds = Grounds::kInUse;
    }
  }

  void add_other_form(Proposal& answer) const {
    const std::vector<std::string> forms = varying(needs_conversion);
    const auto is_there = [&](const CellResult& cell) {
      return is_at_reference(cell, measured_.candidates, forms);
    };
    answer.needs_conversion = !is_there(*answer.proposed);
    const auto other = std::find_if(
        answer.cells.begin(), answer.cells.end(),
        [&](const RankedCell& one) { return is_there(*one.cell) == answer.needs_conversion; });
    if (other == answer.cells.end()) return;
    const OtherCell found = compare(index_of(other->cell), answer);
    if (answer.needs_conversion || found.against_proposed.ratio > 1.0) answer.other_form = found;
  }

  // Candidates include other values of a chosen batch_size.
  void add_other_trainings(Proposal& answer) const {
    std::vector<Cells> others = measured_.other_trainings;
    const std::vector<std::string> chosen = varying(changes_training);
    std::map<std::string, Cells> values;
    for (const CellResult* cell : measured_.candidates) {
      values[describe(*cell, chosen)].push_back(cell);
    }
    values.erase(describe(*answer.proposed, chosen));
    for (auto& [value, cells] : values) others.push_back(std::move(cells));
    std::sort(others.begin(), others.end(),
              [](const Cells& a, const Cells& b) { return a.front()->index < b.front()->index; });
    for (const Cells& other : others) {
      answer.other_trainings.push_back(compare(fastest_of(other), answer));
    }
  }

  [[nodiscard]] std::size_t index_of(const CellResult* cell) const {
    return static_cast<std::size_t>(std::find(cells_.begin(), cells_.end(), cell) - cells_.begin());
  }

  [[nodiscard]] std::size_t fastest_of(const Cells& cells) const {
    std::size_t fastest = index_of(cells.front());
    for (const CellResult* cell : cells) {
      if (fits_[index_of(cell)].effect > fits_[fastest].effect) fastest = index_of(cell);
    }
    return fastest;
  }

  [[nodiscard]] OtherCell compare(std::size_t i, const Proposal& answer) const {
    const Contrast difference = contrast_of(fits_, {{i, 1.0}, {index_of(answer.proposed), -1.0}});
    return {cells_[i], rate_ratio(difference.value, half_interval(difference, 0.95))};
  }

  // Uses the least known rival among those not shown to be slower.
  void add_resolution(Proposal& answer) const {
    if (answer.rounds < kLeastRounds) return;
    const TreatmentFit& fastest = fits_[order_.front()];
    double widest = 0.0, for_5 = 0.0, for_2 = 0.0;
    for (std::size_t place = 1; place < order_.size(); ++place) {
      if (place > 1 && answer.cells[place].least_loss > 0.0) continue;
      const TreatmentFit& rival = fits_[order_[place]];
      const auto blocks = [&](double loss) {
        return blocks_for(-std::log1p(-loss), fastest, rival, choices_, kConfidence);
      };
      widest = std::max(widest, resolution(fastest, rival, choices_, kConfidence));
      for_5 = std::max(for_5, blocks(0.05));
      for_2 = std::max(for_2, blocks(0.02));
      if (answer.rounds > kLeastRounds && is_out_of_reach(fastest, rival, answer.rounds)) {
        answer.is_out_of_reach = true;
      }
    }
    answer.resolution = loss_of(widest);
    if (std::isfinite(widest)) add_more_rounds(answer, widest, for_2, for_5);
  }

  static void add_more_rounds(Proposal& answer, double widest, double for_2, double for_5) {
    const auto now = static_cast<double>(answer.rounds);
    const double most = 3.0 * now;
    const double then = for_2 > now && for_2 <= most   ? for_2
                        : for_5 > now && for_5 <= most ? for_5
                                                       : most;
    answer.more_rounds = static_cast<std::size_t>(then - now);
    answer.resolution_then = loss_of(widest * std::sqrt(now / then));
  }

  [[nodiscard]] bool is_out_of_reach(const TreatmentFit& fastest, const TreatmentFit& rival,
                                     std::size_t rounds) const {
    const auto then = [rounds](TreatmentFit fit) {
      fit.freedom *= static_cast<double>(kMostRounds) / static_cast<double>(rounds);
      return fit;
    };
    const double loss = std::max({0.05, tolerance_, loss_of(fastest.effect - rival.effect)});
    const double wanted =
        blocks_for(-std::log1p(-loss), then(fastest), then(rival), choices_, kConfidence);
    return std::isfinite(wanted) && wanted > static_cast<double>(kMostRounds);
  }

  MeasuredCells measured_;
  double tolerance_;
  Cells cells_;  // Candidates first.
  std::vector<TreatmentFit> fits_;
  std::size_t choices_;
  std::vector<std::size_t> order_;  // Fastest first.
};

}  // namespace

Proposal decide(MeasuredCells measured, double tolerance) {
  return Decider(std::move(measured), tolerance).decide();
}

}  // namespace feedrate
