// SPDX-License-Identifier: Apache-2.0
// Starts of both engines, one after the other, beside which other programs let the machine alone:
// a steady load bends each repeat alike, so that no interval tells of it. One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

#include "bench/engines/engine.h"
#include "core/clock.h"
#include "core/error.h"

namespace feedrate {

/// Half of the pairs stay disturbed, and at least this many.
inline constexpr std::size_t kMostDisturbedPairs = 6;

/// What the machine does beside a calibration makes its costs mean nothing.
class DisturbedCalibration : public Error {
 public:
  using Error::Error;
};

/// `engine`, whose starts have the metrics of foreign load, of all of the start, and are measured
/// again where they are disturbed (bench/engines/undisturbed_engine.h). `clock` outlives it.
[[nodiscard]] std::unique_ptr<CellEngine> make_watched_engine(std::unique_ptr<CellEngine> engine,
                                                              Nanos limit, Clock& clock);

/// Of the native engine and of PyTorch's.
template <typename T>
struct OfBoth {
  T native;
  T torch;
};

class QuietPairs {
 public:
  /// A start of each engine with its cell. Nothing where one stays disturbed; throws
  /// DisturbedCalibration once kMostDisturbedPairs are reached, and what the engines throw.
  [[nodiscard]] std::optional<OfBoth<Repeat>> run(const OfBoth<std::unique_ptr<CellEngine>>& by,
                                                  const OfBoth<CellSpec>& cells,
                                                  const std::stop_token& stop);

 private:
  CellResult starts_;  // All so far; of each no more than its metrics.
  std::size_t disturbed_ = 0;
};

}  // namespace feedrate
