// SPDX-License-Identifier: Apache-2.0
// Numbers for people: scaled units and three or four significant digits. Files never use these.
// Pure functions; any thread.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/metric.h"

namespace feedrate {

/// Printed for a number that is missing or not finite.
inline constexpr const char* kMissing = "–";

/// "35.1 ms", "1.30 GB", "12,345/s", "46.2 %".
[[nodiscard]] std::string format_value(double value, Unit unit);

/// Three significant digits below 1000, whole numbers with thousands separated from 1000:
/// "0.0123", "46.2", "12,345".
[[nodiscard]] std::string format_number(double value);

/// A count with thousands separated: "17", "12,345".
[[nodiscard]] std::string count_text(std::size_t count);

/// "1 worker", "3 workers".
[[nodiscard]] std::string plural(std::size_t count, std::string_view noun);

/// A share as a gain: "+4.0 %" for 0.04, "-8.3 %" for -0.083; never "-0.0 %".
[[nodiscard]] std::string format_gain(double share);

/// Whole seconds, for progress: "35 s", "1 min 20 s", "2 h 5 min".
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace feedrate
