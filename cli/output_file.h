// SPDX-License-Identifier: Apache-2.0
// Outputs that must not replace what a command reads. Any thread.
#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

namespace feedrate {

/// Throws ConfigError where `output`, given by `option`, is one of `inputs`, by whatever path or
/// link, or a file of results in a folder among them. An empty `output` is none.
void require_output_is_no_input(const std::filesystem::path& output, std::string_view option,
                                const std::vector<std::filesystem::path>& inputs);

}  // namespace feedrate
