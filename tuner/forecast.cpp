// SPDX-License-Identifier: Apache-2.0
#include "tuner/forecast.h"

#include <algorithm>
#include <cmath>

#include "analysis/noise.h"
#include "tuner/settings.h"

namespace feedrate {

Forecaster::Forecaster(const FittedWork& work, const FittedWork* warm, const World& world)
    : work_(work), warm_(warm), world_(world) {
  const FittedModel base =
      world.cached ? mix_caches(work.model, warm->model, *world.cached) : work.model;
  then_ = in_world(base, world, work.most_workers);
}

Forecast Forecaster::forecast(const CellResult& cell) const {
  const bool is_measured = cell.outcome == Outcome::kOk;
  const double today = is_measured ? rate_of(cell) : std::numeric_limits<double>::quiet_NaN();
  Forecast made = make(cell.settings, correction(cell), is_measured ? today : 0.0);
  made.cell = &cell;
  made.today = today;
  return made;
}

Forecast Forecaster::with_workers(const Forecast& base, std::size_t workers) const {
  Settings settings = base.settings;
  for (Setting& setting : settings) {
    if (setting.name == "num_workers") setting.value = static_cast<std::int64_t>(workers);
  }
  Forecast made = make(settings, correction(*base.cell), 0.0);
  World same = world_;
  same.cores.reset();
  const Forecaster here(work_, warm_, same);
  made.without_cores = here.make(settings, here.correction(*base.cell), 0.0).then;
  return made;
}

std::optional<std::size_t> Forecaster::cores_enough_for(const Settings& settings) const {
  if (work_.most_workers == 0) return std::nullopt;
  return enough_cores(then_, loop_settings(settings), work_.most_workers);
}

Forecast Forecaster::make(const Settings& settings, double corrected, double today) const {
  Forecast made;
  made.settings = settings;
  made.then = std::min(corrected * rate_in(then_, settings), ceiling(settings, today));
  made.limit_today = limit_in(work_.model, loop_settings(settings));
  made.limit_then = limit_in(then_, loop_settings(settings));
  return made;
}

// Measured by predicted; with a share of cached data between that of the cold cell and that of the
// warm one.
double Forecaster::correction(const CellResult& cell) const {
  if (cell.outcome != Outcome::kOk) return 1.0;
  const double own = rate_of(cell) / rate_in(work_.model, cell.settings);
  if (!world_.cached) return own;
  const Settings settings = warmed(cell.settings);
  for (const CellResult* other : warm_->cells) {
    if (other->settings != settings) continue;
    const double others = rate_of(*other) / rate_in(warm_->model, settings);
    return std::pow(own, 1.0 - *world_.cached) * std::pow(others, *world_.cached);
  }
  return own;
}

// What the trainer alone would take, where it was measured with the same copies.
double Forecaster::ceiling(const Settings& settings, double today) const {
  const LoopSettings loop = loop_settings(settings);
  double limit = 0.0;
  for (const CellResult* cell : work_.measured) {
    const LoopSettings other = loop_settings(cell->settings);
    if (other.cached && copies_alike(other, loop)) limit = std::max(limit, rate_of(*cell));
  }
  if (!(limit > 0.0)) return std::numeric_limits<double>::infinity();
  LoopSettings mock = loop;
  mock.cached = true;
  // A cell may beat its limit by noise.
  return std::max(limit, today) * predict(work_.model, mock).step_time /
         predict(then_, mock).step_time;
}

}  // namespace feedrate
