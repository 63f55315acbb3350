// SPDX-License-Identifier: Apache-2.0
// Masks secrets in the command line for results, which others may read: values whose name says so
// ("--api-key=…", "--hf-token …", "PASSWORD=…", "?signature=…"), passwords of URLs, and known forms
// of keys. Pure.
#pragma once
#include <string>
#include <vector>

namespace feedrate {

[[nodiscard]] std::string masked_command_line(const std::vector<std::string>& arguments);

}  // namespace feedrate
