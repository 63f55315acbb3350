// SPDX-License-Identifier: Apache-2.0
// feedrate config: prints the embedded configurations.
#pragma once
#include <filesystem>
#include <string>

#include "core/host/console.h"

namespace feedrate {

struct ConfigOptions {
  std::string name;           ///< empty: list all
  std::filesystem::path out;  ///< empty: stdout
};

/// Throws ConfigError if the configuration does not exist or `out` does.
[[nodiscard]] int run_config(const ConfigOptions& options, Console& console);

}  // namespace feedrate
