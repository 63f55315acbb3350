// What stands in a trace beside its events. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/timeline.h"

namespace feedrate {

/// The list "deviceProperties"; what cannot be read is left out.
[[nodiscard]] std::vector<GpuProperties> parse_device_properties(std::string_view text);

/// The rank in the object "distributedInfo"; empty where there is none.
[[nodiscard]] std::optional<std::uint64_t> parse_rank(std::string_view text);

/// A number, a word or a short text; empty for lists, objects and what is long.
[[nodiscard]] std::optional<std::string> parse_fact(std::string_view text);

}  // namespace feedrate
