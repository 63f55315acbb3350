// SPDX-License-Identifier: Apache-2.0
#include "analysis/transfer_figures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/random.h"

namespace feedrate {
namespace {

using Values = std::vector<double>;

struct Draw {
  Values rate_a, rate_b, step_a, step_b;
};

struct Computed {
  double tau, rho, distinguishable_tau, regret, proposal_regret, median_error, largest_error;
};

std::size_t index_of_largest(const Values& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

Values errors_of(const Draw& draw) {
  Values errors;
  for (std::size_t i = 0; i < draw.step_a.size(); ++i) {
    const double error = std::abs(draw.step_a[i] / draw.step_b[i] - 1.0);
    if (std::isfinite(error)) errors.push_back(error);
  }
  return errors;
}

Draw as_measured(const std::vector<TransferPoint>& points) {
  Draw draw;
  for (const TransferPoint& point : points) {
    draw.rate_a.push_back(point.a.rate);
    draw.rate_b.push_back(point.b.rate);
    draw.step_a.push_back(point.a.step_time);
    draw.step_b.push_back(point.b.step_time);
  }
  return draw;
}

bool has_starts(const TransferSide& side) {
  return side.start_rates.size() >= 2 && side.start_step_times.size() == side.start_rates.size();
}

void draw_side(const TransferSide& side, RandomStream& random, Values& rates, Values& step_times) {
  double rate = 0.0, step_time = 0.0;
  const std::size_t count = side.start_rates.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t start = random.below(count);
    rate += side.start_rates[start];
    step_time += side.start_step_times[start];
  }
  rates.push_back(rate / static_cast<double>(count));
  step_times.push_back(step_time / static_cast<double>(count));
}

Draw resample(const std::vector<TransferPoint>& points, RandomStream& random) {
  Draw draw;
  for (const TransferPoint& point : points) {
    draw_side(point.a, random, draw.rate_a, draw.step_a);
    draw_side(point.b, random, draw.rate_b, draw.step_b);
  }
  return draw;
}

class Computer {
 public:
  Computer(const std::vector<TransferPoint>& points, std::size_t proposed, const Noise& noise_of_b)
      : points_(points),
        proposed_(proposed),
        noise_of_b_(noise_of_b),
        pairs_(all_pairs(points.size())) {
    std::copy_if(pairs_.begin(), pairs_.end(), std::back_inserter(distinguishable_),
                 [this](const IndexPair& pair) { return is_distinguishable(pair); });
  }

  [[nodiscard]] Computed compute(const Draw& draw) const {
    const double best_b = *std::max_element(draw.rate_b.begin(), draw.rate_b.end());
    const Values errors = errors_of(draw);
    return {.tau = kendall_tau_b(draw.rate_a, draw.rate_b, pairs_),
            .rho = spearman_rho(draw.rate_a, draw.rate_b),
            .distinguishable_tau = kendall_tau_b(draw.rate_a, draw.rate_b, distinguishable_),
            .regret = 1.0 - draw.rate_b[index_of_largest(draw.rate_a)] / best_b,
            .proposal_regret = 1.0 - draw.rate_b[proposed_] / best_b,
            .median_error = median(errors),
            .largest_error = percentile(errors, 1.0)};
  }

  [[nodiscard]] std::vector<IndexPair> disagreements() const {
    std::vector<IndexPair> wrong;
    for (IndexPair pair : distinguishable_) {
      if (points_[pair.first].b.rate < points_[pair.second].b.rate) {
        std::swap(pair.first, pair.second);
      }
      if (points_[pair.first].a.rate < points_[pair.second].a.rate) wrong.push_back(pair);
    }
    std::sort(wrong.begin(), wrong.end(), [this](const IndexPair& one, const IndexPair& other) {
      return loss_in_b(one) > loss_in_b(other);
    });
    return wrong;
  }

  [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }
  [[nodiscard]] std::size_t distinguishable_pairs() const { return distinguishable_.size(); }

 private:
  [[nodiscard]] double loss_in_b(const IndexPair& pair) const {
    const auto [slower, faster] =
        std::minmax(points_[pair.first].b.rate, points_[pair.second].b.rate);
    return 1.0 - slower / faster;
  }

  [[nodiscard]] bool is_distinguishable(const IndexPair& pair) const {
    return loss_in_b(pair) > least_significant_loss(noise_of_b_, points_[pair.first].b.starts,
                                                    points_[pair.second].b.starts);
  }

  const std::vector<TransferPoint>& points_;
  std::size_t proposed_;
  const Noise& noise_of_b_;
  std::vector<IndexPair> pairs_;
  std::vector<IndexPair> distinguishable_;
};

std::optional<Interval> middle_95_percent(const std::vector<Computed>& resamples,
                                          double Computed::*figure) {
  Values values;
  for (const Computed& computed : resamples) {
    if (std::isfinite(computed.*figure)) values.push_back(computed.*figure);
  }
  if (values.empty()) return std::nullopt;
  return Interval{percentile(values, 0.025), percentile(values, 0.975)};
}

std::vector<Computed> resample_all(const std::vector<TransferPoint>& points,
                                   const Computer& computer, const Bootstrap& bootstrap) {
  RandomStream random(bootstrap.seed);
  std::vector<Computed> resamples;
  for (std::size_t i = 0; i < bootstrap.resamples; ++i) {
    resamples.push_back(computer.compute(resample(points, random)));
  }
  return resamples;
}

}  // namespace

TransferFigures transfer_figures(const std::vector<TransferPoint>& points,
                                 std::size_t proposed_by_a, const Noise& noise_of_b,
                                 const Bootstrap& bootstrap) {
  const Computer computer(points, proposed_by_a, noise_of_b);
  const Draw measured = as_measured(points);
  TransferFigures figures;
  figures.pairs = computer.pairs();
  figures.distinguishable_pairs = computer.distinguishable_pairs();
  figures.disagreements = computer.disagreements();
  figures.best_in_a = index_of_largest(measured.rate_a);
  figures.best_in_b = index_of_largest(measured.rate_b);
  figures.proposed_by_a = proposed_by_a;
  figures.significant_regret = least_significant_loss(
      noise_of_b, points[figures.proposed_by_a].b.starts, points[figures.best_in_b].b.starts);
  figures.cells_without_starts = static_cast<std::size_t>(std::count_if(
      points.begin(), points.end(),
      [](const TransferPoint& point) { return !has_starts(point.a) || !has_starts(point.b); }));
  const Computed computed = computer.compute(measured);
  std::vector<Computed> resamples;
  if (figures.cells_without_starts == 0) resamples = resample_all(points, computer, bootstrap);
  const auto estimate = [&](double Computed::*figure) {
    return Estimate{computed.*figure, middle_95_percent(resamples, figure)};
  };
  figures.tau = estimate(&Computed::tau);
  figures.rho = estimate(&Computed::rho);
  figures.distinguishable_tau = estimate(&Computed::distinguishable_tau);
  figures.regret = estimate(&Computed::regret);
  figures.proposal_regret = estimate(&Computed::proposal_regret);
  figures.median_error = estimate(&Computed::median_error);
  figures.largest_error = estimate(&Computed::largest_error);
  return figures;
}

}  // namespace feedrate
