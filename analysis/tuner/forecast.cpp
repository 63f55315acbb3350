// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/forecast.h"

#include <algorithm>
#include <cmath>

#include "analysis/noise.h"
#include "analysis/tuner/settings.h"

namespace feedrate {

namespace {

FittedModel changed_model(const FittedWork& work, const FittedWork* warm, const World& world) {
  const FittedModel base =
      world.cached ? mix_caches(work.model, warm->model, *world.cached) : work.model;
  return in_world(base, world, work.most_workers);
}

}  // namespace

Forecaster::Forecaster(const FittedWork& work, const FittedWork* warm, const World& world,
                       Replays& today)
    : work_(work),
      warm_(warm),
      world_(world),
      today_(today),
      then_(changed_model(work, warm, world)) {
  for (const CellResult* cell : work_.measured) {
    const LoopSettings loop = loop_settings(cell->settings);
    if (loop.cached) trainers_.emplace_back(loop, rate_of(*cell));
  }
}

Forecast Forecaster::forecast(const CellResult& cell) {
  const bool is_measured = cell.outcome == Outcome::kOk;
  const double today = is_measured ? rate_of(cell) : std::numeric_limits<double>::quiet_NaN();
  Forecast made = make(cell.settings, correction(cell), is_measured ? today : 0.0);
  made.cell = &cell;
  made.today = today;
  return made;
}

Forecast Forecaster::with_workers(const Forecast& base, std::size_t workers) {
  Settings settings = base.settings;
  for (Setting& setting : settings) {
    if (setting.name == "num_workers") setting.value = static_cast<std::int64_t>(workers);
  }
  Forecast made = make(settings, correction(*base.cell), 0.0);
  World same = world_;
  same.cores.reset();
  Forecaster here(work_, warm_, same, today_);
  made.without_cores = here.make(settings, here.correction(*base.cell), 0.0).then;
  return made;
}

std::optional<std::size_t> Forecaster::cores_enough_for(const Settings& settings) const {
  if (work_.most_workers == 0) return std::nullopt;
  return enough_cores(then_.model(), loop_settings(settings), work_.most_workers);
}

Forecast Forecaster::make(const Settings& settings, double corrected, double today) {
  Forecast made;
  made.settings = settings;
  made.then = std::min(corrected * then_.rate(settings), ceiling(settings, today));
  return made;
}

void Forecaster::limit(Forecast& forecast) {
  const LoopSettings loop = loop_settings(forecast.settings);
  forecast.limit_today = today_.limit(loop);
  forecast.limit_then = world_ == World{} ? forecast.limit_today : then_.limit(loop);
}

// Measured / predicted, interpolated between the cold and the warm cell.
double Forecaster::correction(const CellResult& cell) {
  if (cell.outcome != Outcome::kOk) return 1.0;
  const double own = rate_of(cell) / today_.rate(cell.settings);
  if (!world_.cached) return own;
  const Settings settings = warmed(cell.settings);
  for (const CellResult* other : warm_->cells) {
    if (other->settings != settings) continue;
    const double others = rate_of(*other) / rate_in(warm_->model, settings);
    return std::pow(own, 1.0 - *world_.cached) * std::pow(others, *world_.cached);
  }
  return own;
}

double Forecaster::ceiling(const Settings& settings, double today) {
  const LoopSettings loop = loop_settings(settings);
  double limit = 0.0;
  for (const auto& [other, rate] : trainers_) {
    if (copies_alike(other, loop)) limit = std::max(limit, rate);
  }
  if (!(limit > 0.0)) return std::numeric_limits<double>::infinity();
  LoopSettings mock = loop;
  mock.cached = true;
  return std::max(limit, today) * today_.step_time(mock) / then_.step_time(mock);
}

}  // namespace feedrate
