// SPDX-License-Identifier: Apache-2.0
// Numbers with units on the command line. Pure; any thread.
#pragma once
#include <optional>
#include <string_view>

namespace feedrate {

enum class Quantity {
  kBytes,    ///< "110KB", "1.5MiB", "4096": bytes; "/s" means per second
  kSeconds,  ///< "1ms", "250us", "0.001": seconds
  kCount,    ///< "50k", "1.2M/s", "800": a count
};

/// Returns the number in the base unit; nothing for other text. K is 1000, Ki is 1024.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text, Quantity quantity);

}  // namespace feedrate
