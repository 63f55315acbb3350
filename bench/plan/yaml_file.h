// SPDX-License-Identifier: Apache-2.0
// What the files of calibrations share: keys that must be there, text in quotes, and that none is
// lost. Pure functions but for claim_file().
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/plan/config_node.h"

namespace feedrate {

/// Throws ConfigError "<section>: lacks <key>".
[[nodiscard]] const ConfigNode& required(const ConfigNode& map, std::string_view section,
                                         std::string_view key);

/// As YAML reads it back.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Proves that a file can be written there before anything is measured. Throws ConfigError where it
/// holds something that `force` does not give up, SystemError.
void claim_file(const std::filesystem::path& file, bool force);

}  // namespace feedrate
