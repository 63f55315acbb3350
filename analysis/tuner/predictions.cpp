// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/predictions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/noise.h"
#include "analysis/tuner/fit.h"
#include "analysis/tuner/ranking.h"
#include "analysis/tuner/settings.h"
#include "analysis/tuner/work_groups.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

std::vector<const CellResult*> cells_with_work_of(const Settings& settings,
                                                  std::span<const CellResult> measured) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : measured) {
    if (cell.outcome == Outcome::kOk && same_work(cell.settings, settings)) cells.push_back(&cell);
  }
  return cells;
}

double trainer_limit(const LoopSettings& settings, std::span<const CellResult* const> cells) {
  double limit = std::numeric_limits<double>::infinity();
  for (const CellResult* cell : cells) {
    const LoopSettings loop = loop_settings(cell->settings);
    if (loop.cached && copies_alike(loop, settings)) limit = std::min(limit, rate_of(*cell));
  }
  return limit;
}

double samples_a_step(const Settings& settings, std::span<const CellResult* const> cells) {
  std::vector<double> samples;
  for (const CellResult* cell : cells) {
    if (loop_settings(cell->settings).cached) continue;
    if (text_of(cell->settings, "drop_last") != text_of(settings, "drop_last")) continue;
    samples.push_back(feedrate::samples_a_step(*cell));
  }
  return samples.empty() ? batch_size_of(settings) : mean(samples);
}

}  // namespace

std::vector<std::optional<Prediction>> predict_all(std::span<const Candidate> candidates,
                                                   std::span<const CellResult> measured,
                                                   double cores) {
  std::vector<std::optional<Prediction>> predictions(candidates.size());
  for (const std::vector<std::size_t>& group : work_groups(candidates)) {
    const auto cells = cells_with_work_of(candidates[group.front()].settings, measured);
    if (!can_predict(cells, {})) continue;
    const FittedModel model = fit_model(cells, cores);
    for (const std::size_t i : group) {
      const LoopSettings loop = loop_settings(candidates[i].settings);
      const ReplayedEpoch epoch = predict(model, loop);
      const double samples =
          ranks_of(candidates[i].settings) * samples_a_step(candidates[i].settings, cells);
      predictions[i] = {samples / epoch.step_time, epoch.step_time, epoch.first_batch_time,
                        trainer_limit(loop, cells)};
    }
  }
  return predictions;
}

Predictor transferred(std::vector<std::optional<Prediction>> explored) {
  return [explored = std::move(explored)](std::span<const Candidate> candidates,
                                          std::span<const CellResult> measured) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const CellResult* const cell = find_cell(measured, candidates[i].settings);
      if (cell == nullptr || !explored[i]) continue;
      const std::vector<double> rates = log_rates(*cell);
      if (!rates.empty()) differences.push_back(mean(rates) - std::log(explored[i]->rate));
    }
    std::vector<std::optional<Prediction>> predictions(candidates.size());
    if (differences.empty()) return predictions;
    const double factor = std::exp(mean(differences));
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!explored[i]) continue;
      predictions[i] = explored[i];
      predictions[i]->rate *= factor;
      predictions[i]->step_time /= factor;
    }
    return predictions;
  };
}

}  // namespace feedrate
