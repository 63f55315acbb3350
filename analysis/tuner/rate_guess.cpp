// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/rate_guess.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/tuner/least_squares.h"
#include "analysis/tuner/settings.h"

namespace feedrate {
namespace {

constexpr double kNoLanesLimit = std::numeric_limits<double>::infinity();

struct RatePoint {
  double workers;
  bool loads;   ///< false: mock loader
  bool trains;  ///< false: mock trainer
  double step;
};

double lanes_used(const RateCosts& costs, const RatePoint& point) {
  return std::min(std::max(point.workers, 1.0), costs.lanes);
}

double guessed_step(const RateCosts& costs, const RatePoint& point) {
  const double making = point.loads ? costs.load / lanes_used(costs, point) : 0.0;
  const double training = point.trains ? costs.train : 0.0;
  return point.workers > 0.0 ? std::max(making, training) : making + training;
}

std::vector<double> log_errors(const RateCosts& costs, std::span<const RatePoint> points) {
  std::vector<double> errors;
  for (const RatePoint& point : points) {
    errors.push_back(std::log(std::max(guessed_step(costs, point), 1e-12) / point.step));
  }
  return errors;
}

class RateGuess {
 public:
  RateGuess(std::vector<RatePoint> points, double cores)
      : points_(std::move(points)), cores_(cores) {}

  RateCosts make() {
    for (const RatePoint& point : points_) slowest_ = std::max(slowest_, point.step);
    try_lanes(kNoLanesLimit);
    try_lanes(cores_);
    if (const RatePoint* const fewest = fewest_workers()) {
      for (const RatePoint& most : points_) {
        if (most.loads && most.workers >= 2.0) {
          try_lanes(fewest->workers * fewest->step / most.step);
        }
      }
    }
    refine();
    set_evidence();
    return best_;
  }

 private:
  [[nodiscard]] const RatePoint* fewest_workers() const {
    const RatePoint* fewest = nullptr;
    for (const RatePoint& point : points_) {
      if (!point.loads || point.workers < 1.0) continue;
      if (fewest == nullptr || point.workers < fewest->workers) fewest = &point;
    }
    return fewest;
  }

  void try_lanes(double lanes) {
    if (!(lanes >= 1.0)) return;
    for (const double train : trains()) {
      for (const RatePoint& point : points_) {
        if (!point.loads) continue;
        const double making = point.step - (point.workers > 0.0 || !point.trains ? 0.0 : train);
        try_costs({.load = making * std::min(std::max(point.workers, 1.0), lanes),
                   .train = train,
                   .lanes = lanes});
      }
    }
  }

  [[nodiscard]] std::vector<double> trains() const {
    std::vector<double> trains{nothing()};
    for (const RatePoint& point : points_) {
      if (!point.trains) continue;
      if (!point.loads || is_flat(point)) trains.push_back(point.step);
      if (!point.loads || point.workers > 0.0) continue;
      for (const RatePoint& other : points_) {
        if (other.loads && other.workers > 0.0)
          trains.push_back(point.step - other.workers * other.step);
      }
    }
    std::erase_if(trains, [&](double train) { return !(train >= nothing()); });
    return trains;
  }

  // The last added workers gained less than half of ideal scaling.
  [[nodiscard]] bool is_flat(const RatePoint& point) const {
    const RatePoint* fewer = nullptr;
    for (const RatePoint& other : points_) {
      const bool is_before =
          other.loads && other.trains && other.workers >= 1.0 && other.workers < point.workers;
      if (is_before && (fewer == nullptr || other.workers > fewer->workers)) fewer = &other;
    }
    constexpr double kHalf = 0.5;
    return fewer != nullptr &&
           std::log(fewer->step / point.step) < kHalf * std::log(point.workers / fewer->workers);
  }

  [[nodiscard]] double nothing() const { return 1e-3 * slowest_; }

  // A limit must explain more than noise, except for the known cores.
  void try_costs(const RateCosts& costs) {
    constexpr double kNoise = 0.05;
    if (!(costs.load > 0.0)) return;
    double squares = 0.0;
    for (const double error : log_errors(costs, points_)) squares += error * error;
    const double noise = kNoise * kNoise * static_cast<double>(points_.size());
    if (costs.train > nothing()) squares += noise;
    if (std::isfinite(costs.lanes) && costs.lanes != cores_) squares += noise;
    if (squares >= best_squares_ - 1e-12) return;
    best_ = costs;
    best_squares_ = squares;
  }

  void refine() {
    if (!(best_.load > 0.0)) return;
    const auto with = [lanes = best_.lanes](std::span<const double> logs) {
      return RateCosts{.load = std::exp(logs[0]),
                       .train = std::exp(logs[1]),
                       .lanes = logs.size() > 2 ? std::exp(logs[2]) : lanes};
    };
    std::vector<double> start{std::log(best_.load), std::log(best_.train)};
    if (std::isfinite(best_.lanes) && best_.lanes != cores_) start.push_back(std::log(best_.lanes));
    constexpr double kDifference = 1e-4;
    constexpr std::size_t kIterations = 10;
    best_ = with(
        least_squares([&](std::span<const double> logs) { return log_errors(with(logs), points_); },
                      start, kDifference, kIterations));
  }

  void set_evidence() {
    constexpr double kShown = 0.9;
    for (const RatePoint& point : points_) {
      if (point.loads && point.workers > 0.0) {
        best_.most_at_once =
            std::max(best_.most_at_once, std::min(point.workers, best_.load / point.step));
      }
      const double making = best_.load / lanes_used(best_, point);
      const bool is_added = point.workers == 0.0 && best_.train > 10.0 * nothing();
      const bool is_shown = !point.loads || is_added || making < kShown * best_.train;
      best_.train_is_seen = best_.train_is_seen || (point.trains && is_shown);
    }
  }

  std::vector<RatePoint> points_;
  double cores_;
  double slowest_ = 0.0;
  RateCosts best_;
  double best_squares_ = std::numeric_limits<double>::infinity();
};

}  // namespace

RateCosts guess_by_rates(std::span<const CellResult* const> measured, double cores) {
  std::vector<RatePoint> points;
  for (const CellResult* cell : measured) {
    const double* const step = find_metric(cell->metrics, "step_time");
    if (step == nullptr || !(*step > 0.0)) continue;
    const LoopSettings loop = loop_settings(cell->settings);
    points.push_back({static_cast<double>(loop.num_workers), !loop.cached, !loop.discard, *step});
  }
  return RateGuess(std::move(points), cores).make();
}

}  // namespace feedrate
