// SPDX-License-Identifier: Apache-2.0
// Runs starts of both engines alternately and rejects those that other programs disturbed: a steady
// load shifts each repeat equally, so that no interval shows it. One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

#include "bench/engines/engine.h"
#include "core/clock.h"
#include "core/error.h"

namespace feedrate {

/// A calibration fails if half of the pairs are disturbed, and at least this many.
inline constexpr std::size_t kMostDisturbedPairs = 6;

/// Other programs disturb the calibration, so that its costs mean nothing.
class DisturbedCalibration : public Error {
 public:
  using Error::Error;
};

/// Wraps `engine`: its starts have the metrics of foreign load over the whole start, and are
/// repeated if disturbed (bench/engines/undisturbed_engine.h). `clock` must outlive it.
[[nodiscard]] std::unique_ptr<CellEngine> make_watched_engine(std::unique_ptr<CellEngine> engine,
                                                              Nanos limit, Clock& clock);

template <typename T>
struct OfBoth {
  T native;
  T torch;
};

class QuietPairs {
 public:
  /// Runs one start of each engine with its cell. Returns nothing if one stays disturbed; throws
  /// DisturbedCalibration once kMostDisturbedPairs are reached, and the engines' exceptions.
  [[nodiscard]] std::optional<OfBoth<Repeat>> run(const OfBoth<std::unique_ptr<CellEngine>>& by,
                                                  const OfBoth<CellSpec>& cells,
                                                  const std::stop_token& stop);

 private:
  CellResult starts_;  // All starts until now, with their metrics only.
  std::size_t disturbed_ = 0;
};

}  // namespace feedrate
