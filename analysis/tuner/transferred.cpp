// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/transferred.h"

#include <cmath>
#include <utility>

#include "core/statistics.h"

namespace feedrate {

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
