// SPDX-License-Identifier: Apache-2.0
// Protects a command's inputs from its outputs. Any thread.
#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

namespace feedrate {

/// Throws ConfigError if `output`, given by `option`, is one of `inputs`, by any path or link, or a
/// results file in a folder among them. Ignores an empty `output`.
void require_output_is_no_input(const std::filesystem::path& output, std::string_view option,
                                const std::vector<std::filesystem::path>& inputs);

}  // namespace feedrate
