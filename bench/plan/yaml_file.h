// SPDX-License-Identifier: Apache-2.0
// Helpers for the files of calibrations. Pure functions but for claim_file().
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/plan/config_node.h"

namespace feedrate {

/// Throws ConfigError "<section>: lacks <key>".
[[nodiscard]] const ConfigNode& required(const ConfigNode& map, std::string_view section,
                                         std::string_view key);

/// Quotes a text for YAML.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Proves before a measurement that `file` can be written. Throws ConfigError if it has contents
/// and `force` is false, SystemError.
void claim_file(const std::filesystem::path& file, bool force);

}  // namespace feedrate
