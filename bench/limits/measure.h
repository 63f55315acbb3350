// SPDX-License-Identifier: Apache-2.0
// Measures the limits sequentially. One thread; clears Google Benchmark's list of benchmarks.
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
  std::filesystem::path folder = ".";  ///< where temporary files are created
  std::string only = {};               ///< a regular expression, searched for in id_of(row)
  double min_time = 0.2;               ///< seconds per measurement
  std::optional<OwnData> own = std::nullopt;
  LimitsScale scale = {};
};

/// Called before each measurement; `done` are finished.
using OnLimit = std::function<void(const Limit& row, std::size_t done, std::size_t total)>;

/// A failed measurement has no value and a reason; the others continue. Once `stop` is requested,
/// the rest is skipped. Throws ConfigError for an unusable folder or expression.
[[nodiscard]] Limits measure_limits(std::span<const LimitTopic> topics,
                                    const LimitsOptions& options, const OnLimit& on_limit,
                                    const std::stop_token& stop);

[[nodiscard]] Limits measure_limits(const LimitsOptions& options, const OnLimit& on_limit,
                                    const std::stop_token& stop);

}  // namespace feedrate
