// SPDX-License-Identifier: Apache-2.0
// The command line as it goes into results, which others may read: without the secrets in it. A
// value is masked where its name says what it is ("--api-key=…", "--hf-token …", "PASSWORD=…",
// "?signature=…"), as is the password of a URL and what has the form of a known kind of key. Pure.
#pragma once
#include <string>
#include <vector>

namespace feedrate {

[[nodiscard]] std::string masked_command_line(const std::vector<std::string>& arguments);

}  // namespace feedrate
