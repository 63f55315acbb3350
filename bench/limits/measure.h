// SPDX-License-Identifier: Apache-2.0
// Measures the limits, one after the other. One thread; Google Benchmark's list of benchmarks is
// cleared.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "bench/limits/limit.h"
#include "bench/limits/topics.h"

namespace feedrate {

struct LimitsOptions {
  std::filesystem::path folder = ".";  ///< where files are made for a while
  std::string only = {};               ///< a regular expression, searched for in id_of(row)
  double min_time = 0.2;               ///< seconds of each measurement
  std::optional<OwnData> own = std::nullopt;
  LimitsScale scale = {};
};

/// Called before each measurement, of which `done` are over.
using OnLimit = std::function<void(const Limit& row, std::size_t done, std::size_t total)>;

/// A measurement that fails has no value and says why; the others go on. Once `stop` is requested
/// the rest is left out. Throws ConfigError for a folder or an expression that will not do.
[[nodiscard]] Limits measure_limits(std::span<const LimitTopic> topics,
                                    const LimitsOptions& options, const OnLimit& on_limit,
                                    const std::stop_token& stop);

/// Of all topics that there are.
[[nodiscard]] Limits measure_limits(const LimitsOptions& options, const OnLimit& on_limit,
                                    const std::stop_token& stop);

}  // namespace feedrate
