// SPDX-License-Identifier: Apache-2.0
// feedrate config: the configurations that the program carries.
#pragma once
#include <filesystem>
#include <string>

#include "core/host/console.h"

namespace feedrate {

struct ConfigOptions {
  std::string name;           ///< empty: list them
  std::filesystem::path out;  ///< empty: stdout
};

/// Throws ConfigError where there is no such configuration, or `out` exists.
[[nodiscard]] int run_config(const ConfigOptions& options, Console& console);

}  // namespace feedrate
