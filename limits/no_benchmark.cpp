// SPDX-License-Identifier: Apache-2.0
// What takes the place of the measurements in a program that is built without Google Benchmark.
#include "core/error.h"
#include "limits/measure.h"

namespace feedrate {

Limits measure_limits(std::span<const LimitTopic> /*topics*/, const LimitsOptions& /*options*/,
                      const OnLimit& /*on_limit*/, const std::stop_token& /*stop*/) {
  throw ConfigError(why_no_limits());
}

Limits measure_limits(const LimitsOptions& /*options*/, const OnLimit& /*on_limit*/,
                      const std::stop_token& /*stop*/) {
  throw ConfigError(why_no_limits());
}

std::string why_no_limits() {
  return "limits: the portable program is built without Google Benchmark; build feedrate on this "
         "machine with scripts/quickstart";
}

}  // namespace feedrate
