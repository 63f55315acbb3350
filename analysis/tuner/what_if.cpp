// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/what_if.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "analysis/answer.h"
#include "analysis/best.h"
#include "analysis/noise.h"
#include "analysis/tuner/fitted_work.h"
#include "analysis/tuner/model_check.h"
#include "analysis/tuner/settings.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

// Equal rates: the cheapest, as in a tune.
std::size_t choose(std::span<const Forecast> forecasts,
                   const std::function<double(const Forecast&)>& rate) {
  constexpr double kEqual = 0.99;
  double best = 0.0;
  for (const Forecast& one : forecasts) {
    best = std::max(best, std::isfinite(rate(one)) ? rate(one) : 0.0);
  }
  const auto cost = [](const Forecast& one) {
    const double* const memory = one.cell ? find_metric(one.cell->metrics, "memory") : nullptr;
    return cost_of(one.settings, memory ? *memory : std::numeric_limits<double>::infinity());
  };
  std::size_t chosen = forecasts.size();
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    if (!(rate(forecasts[i]) >= kEqual * best)) continue;
    if (chosen == forecasts.size() || cost(forecasts[i]) < cost(forecasts[chosen])) chosen = i;
  }
  return chosen == forecasts.size() ? 0 : chosen;
}

class Situated {
 public:
  Situated(std::span<const FittedWork> all, std::vector<const FittedWork*> works, double cores,
           std::span<const CellResult* const> proposed)
      : all_(all), works_(std::move(works)), cores_(cores), proposed_(proposed) {
    for (const FittedWork* work : works_) today_.emplace_back(work->model);
  }

  [[nodiscard]] bool is_loader_alone() const { return works_.front()->is_loader_alone(); }

  [[nodiscard]] std::vector<const CellResult*> cells() const {
    std::vector<const CellResult*> cells;
    for (const FittedWork* work : works_) {
      cells.insert(cells.end(), work->cells.begin(), work->cells.end());
      cells.insert(cells.end(), work->pending.begin(), work->pending.end());
    }
    return cells;
  }

  [[nodiscard]] HeldOut held_out(std::span<const CheckedCell> checked) const {
    constexpr std::size_t kEnough = 3;
    std::vector<double> errors;
    const std::vector<const CellResult*> cells_of_works = cells();
    const std::set<const CellResult*> own(cells_of_works.begin(), cells_of_works.end());
    for (const CheckedCell& cell : checked) {
      if (own.contains(cell.cell) && !cell.is_probe) errors.push_back(cell.error());
    }
    if (errors.size() < kEnough) {
      errors.clear();
      for (const FittedWork* work : works_) {
        const auto more = held_out_errors(work->cells, work->measured, cores_);
        errors.insert(errors.end(), more.begin(), more.end());
      }
    }
    return {median(errors), errors.size()};
  }

  [[nodiscard]] std::optional<Answer> answer(const World& world, std::size_t limited) {
    if (is_loader_alone() && world.gpu_speed != 1.0) return std::nullopt;
    Answer answer;
    answer.world = world;
    std::deque<Forecaster> forecasters;
    std::vector<std::pair<Forecast, std::size_t>> made;
    for (std::size_t i = 0; i < works_.size(); ++i) {
      const FittedWork* const warm = find_warm(all_, *works_[i]);
      if (world.cached && warm == nullptr) continue;
      forecasters.emplace_back(*works_[i], warm, world, today_[i]);
      for (Forecast& one : forecast(*works_[i], forecasters.back())) {
        made.emplace_back(std::move(one), forecasters.size() - 1);
      }
    }
    if (made.empty()) return std::nullopt;
    std::stable_sort(made.begin(), made.end(),
                     [](const auto& a, const auto& b) { return a.first.then > b.first.then; });
    for (const auto& [one, forecaster] : made) answer.forecasts.push_back(one);
    answer.best_today = choose(answer.forecasts, [](const Forecast& one) { return one.today; });
    answer.best_then = choose(answer.forecasts, [](const Forecast& one) { return one.then; });
    use_proposal(answer);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (i >= limited && i != answer.best_today && i != answer.best_then) continue;
      forecasters[made[i].second].limit(answer.forecasts[i]);
    }
    const auto& [best, of] = made[answer.best_then];
    answer.training_is_known = forecasters[of].training_is_known();
    if (answer.training_is_known) {
      answer.enough_cores = forecasters[of].cores_enough_for(best.settings);
    }
    const std::size_t probed = forecasters[of].probed_workers();
    if (probed > 0 && loop_settings(best.settings).num_workers > probed) {
      answer.extrapolated_beyond = probed;
    }
    return answer;
  }

 private:
  // The proposal of the run is its best today, so that all commands agree.
  void use_proposal(Answer& answer) const {
    const auto is_proposed = [this](const Forecast& one) {
      return std::find(proposed_.begin(), proposed_.end(), one.cell) != proposed_.end();
    };
    const std::vector<Forecast>& all = answer.forecasts;
    const auto found = std::find_if(all.begin(), all.end(), is_proposed);
    if (found == all.end()) return;
    const auto proposal = static_cast<std::size_t>(found - all.begin());
    if (std::isfinite(found->today)) answer.best_today = proposal;
    if (answer.world == World{}) answer.best_then = proposal;
  }

  [[nodiscard]] std::vector<Forecast> forecast(const FittedWork& work,
                                               Forecaster& forecaster) const {
    std::vector<Forecast> made;
    for (const auto* cells : {&work.cells, &work.pending}) {
      for (const CellResult* cell : *cells) made.push_back(forecaster.forecast(*cell));
    }
    const double cores = std::ceil(forecaster.world().cores.value_or(cores_));
    if (cores <= cores_) return made;
    const auto workers = static_cast<std::size_t>(cores);
    if (const Forecast* base = best_with_fewer(made, workers)) {
      made.push_back(forecaster.with_workers(*base, workers));
    }
    return made;
  }

  static const Forecast* best_with_fewer(std::span<const Forecast> forecasts, std::size_t workers) {
    const Forecast* best = nullptr;
    for (const Forecast& one : forecasts) {
      const std::size_t count = loop_settings(one.settings).num_workers;
      if (count >= workers) return nullptr;
      if (count > 0 && (best == nullptr || one.then > best->then)) best = &one;
    }
    return best;
  }

  std::span<const FittedWork> all_;
  std::vector<const FittedWork*> works_;
  std::deque<Replays> today_;
  double cores_;
  std::span<const CellResult* const> proposed_;
};

}  // namespace

double Answer::gain() const {
  return forecasts[best_then].then / forecasts[best_today].today - 1.0;
}

bool HeldOut::hides(double gain) const {
  constexpr double kExact = 0.005;
  return std::max(std::abs(gain), kExact) < median_error;
}

std::vector<Situation> what_if(const RunResult& run, double cores, std::span<const World> worlds,
                               std::size_t limited) {
  const std::vector<FittedWork> works = fit_works(run, cores);
  const std::vector<CheckedCell> checked = check_model(run, cores);
  const std::vector<const CellResult*> proposed = proposed_cells(run);
  std::vector<Situation> situations;
  for (const SituatedWorks& one : situate(works)) {
    Situated situated(works, one.works, cores, proposed);
    Situation situation{
        one.name, situated.is_loader_alone(), situated.cells(), situated.held_out(checked), {}};
    for (const World& world : worlds) {
      if (auto answer = situated.answer(world, limited))
        situation.answers.push_back(std::move(*answer));
    }
    situations.push_back(std::move(situation));
  }
  return situations;
}

std::vector<World> standard_worlds(double cores) {
  return {{}, {.gpu_speed = 2.0}, {.cores = 2.0 * cores}, {.cached = 0.5}, {.cached = 1.0}};
}

}  // namespace feedrate
