// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFilesOfRuns{"run.json", "cells.csv", "run.journal", "recommendation.json"};

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code missing;
  return fs::equivalent(a, b, missing);
}

bool is_read(const fs::path& output, const fs::path& input) {
  return is_same_file(output, input) ||
         std::any_of(kFilesOfRuns.begin(), kFilesOfRuns.end(),
                     [&](const char* name) { return is_same_file(output, input / name); });
}

}  // namespace

void require_output_is_no_input(const fs::path& output, std::string_view option,
                                const std::vector<fs::path>& inputs) {
  if (output.empty()) return;
  for (const fs::path& input : inputs) {
    std::error_code error;
    if (!fs::is_regular_file(output, error) || !is_read(output, input)) continue;
    throw ConfigError(fmt::format("{} {}: would replace its own input; name another file", option,
                                  output.string()));
  }
}

}  // namespace feedrate
