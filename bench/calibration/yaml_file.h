// What the files of calibrations share: keys that must be there, and text in quotes. Pure
// functions.
#pragma once
#include <string>
#include <string_view>

#include "bench/plan/config_node.h"

namespace feedrate {

/// Throws ConfigError "<section>: lacks <key>".
[[nodiscard]] const ConfigNode& required(const ConfigNode& map, std::string_view section,
                                         std::string_view key);

/// As YAML reads it back.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace feedrate
