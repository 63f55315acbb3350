// SPDX-License-Identifier: Apache-2.0
// Numbers with a unit, as people write them on a command line. Pure; any thread.
#pragma once
#include <optional>
#include <string_view>

namespace feedrate {

enum class Quantity {
  kBytes,    ///< "110KB", "1.5MiB", "4096": bytes; with "/s" behind it, a second
  kSeconds,  ///< "1ms", "250us", "0.001": seconds
  kCount,    ///< "50k", "1.2M/s", "800": of whatever is counted
};

/// In the base unit; nothing where the text is no such quantity. K is 1000, Ki is 1024.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text, Quantity quantity);

}  // namespace feedrate
